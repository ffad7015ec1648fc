import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address, hash } from '../chain/hex.ts'
import { position } from '../chain/position.ts'
import type { EntityChange } from './group.ts'
import { batchTopic } from './ledger/transfers.ts'
import { stateGroup } from './state/state-group.ts'
import { anyFacts } from './testing/any-facts.ts'
import { words } from './testing/facts.ts'
import { listed } from './testing/folded-at-once.ts'
import { logOf } from './testing/log-of.ts'
import { MemoryScratch } from './testing/memory-scratch.ts'
import { MemoryState } from './testing/memory-state.ts'

type Facts = Parameters<typeof logOf>[0]

/** Changes and rows of each message, in the order of their keys: slices may change the order. */
async function foldedInSlices(given: ReturnType<typeof logOf>, sliceMax: number) {
  const state = new MemoryState()
  const results: { changes: string[]; rows: string[] }[] = []
  for (const message of given) {
    if (message.kind === 'block.reverted') throw new Error('not given')
    const scratch = new MemoryScratch()
    const folding = stateGroup.change(state, message)
    let step = folding.next()
    for (; step.done !== true; step = folding.next()) {
      if (step.value.held >= sliceMax) await step.value.spill(scratch)
    }
    const changes = listed(step.value)
    state.write(changes)
    const at = position(message.sequence)
    const rows = [...stateGroup.rows(message, changes, at)].flat()
    results.push({
      changes: changes.map(stored).sort(),
      rows: rows.map(({ table, row }) => shown({ name: table.name, row })).sort(),
    })
  }
  return results
}

const stored = ({ entity, id, before, after }: EntityChange): string => {
  const hex = (value: unknown) => (value === undefined ? '-' : entity.encode(value).toString('hex'))
  return `${entity.name} ${id} ${hex(before)} ${hex(after)}`
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner))

test('changes and rows do not depend on the size of a slice', async () => {
  await fc.assert(
    fc.asyncProperty(anyFacts, fc.constantFrom(0, 1, 500), async (facts, from) => {
      const given = logOf(facts, from)
      const whole = await foldedInSlices(given, Number.POSITIVE_INFINITY)
      for (const sliceMax of [1, 7]) expect(await foldedInSlices(given, sliceMax)).toEqual(whole)
    }),
    { numRuns: 60 },
  )
})

/** Reset with its counters, it had -1 unknown pairs, which were stored as unreadable bytes. */
test('an id keeps its counted pairs when its early transfers are folded again', async () => {
  const token = address(`0xc0${'0'.repeat(37)}2`)
  const topics = [batchTopic, ...[0xa, 0xa, 0xc].map((value) => hash(words(value)))]
  const log = { address: token, topics, data: words(0x40, 0x80, 1, 0, 1, 1) }
  const [standard, name] = ['ERC-20', 'N'] as const
  const said = { address: token, standard, totalSupply: null, name, hasCodeBefore: false }
  const facts: Facts = [
    { kind: 'block', transactions: [{ logs: [log] }], tokens: [] },
    { kind: 'block', transactions: [], tokens: [said] },
    { kind: 'block', transactions: [], tokens: [] },
  ]
  const given = logOf(facts, 0)
  const whole = await foldedInSlices(given, Number.POSITIVE_INFINITY)
  expect(await foldedInSlices(given, 1)).toEqual(whole)
})
