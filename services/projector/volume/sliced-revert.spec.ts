import { expect, test } from 'vitest'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { projectorLimits } from '../loop/limits.ts'
import { applied, hashOf, reverted } from '../testing/messages.ts'
import { sent, toyGroup } from '../testing/toy-group.ts'
import { memoryWorld } from '../testing/world.ts'

const words = (number: number, senders: readonly number[]) => ({
  number,
  hash: hashOf(`${number}`),
  parentHash: hashOf(`${number - 1}`),
  senders,
})
const small = words(6, [7])

/** Staged are the changes of what is folded in slices, and nothing else. */
function stagesOf(state: StateStore) {
  const staged: number[] = []
  const stage = state.stage.bind(state)
  state.stage = async (writes) => {
    const all = [...writes]
    staged.push(all.length)
    await stage(all)
  }
  return staged
}

/** A block of one transaction that folds very many earlier transfers again. */
const repeating = {
  ...toyGroup,
  repeatedCount: (_: unknown, { kind }: { readonly kind: string }) =>
    kind === 'block.applied' ? projectorLimits.slicedWeightMin : 0,
}

test.each([
  { name: 'what was folded in slices', group: repeating, slices: 2 },
  { name: 'what was folded at once', group: toyGroup, slices: 0 },
])('$name is reverted like that, by the life that folded it or the next', async (given) => {
  for (const lives of [1, 2]) {
    const state = memoryStateStore()
    const staged = stagesOf(state)
    const world = memoryWorld(given.group, [sent])
    await world.hear([encodeMessage(applied(1, small))])
    if (lives === 2) await world.live(1, { state })
    await world.hear([encodeMessage(reverted(2, small))])
    await world.live(2, { state })
    expect(staged, `${lives} lives`).toHaveLength(given.slices)
    expect(world.store.readAll().sent).toEqual({})
  }
})
