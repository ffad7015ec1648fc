import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import { position } from '../../../libs/chain/position.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { blocksVersion } from '../../../libs/topics/blocks.ts'
import { transfer } from '../../../test/support/observable-chain.ts'
import { SourceOfValues, tokenAddress } from '../../../test/support/source-of-values.ts'
import { pairOfKey, pairTag } from './pair-key.ts'
import { SeenPairs } from './seen-pairs.ts'

const limits = {
  seenPairsMax: 1_000,
  seenPairsPerBlockMax: 1_000,
  observedPairsMax: 4,
  reorganisationDepthMax: 8,
}
const pause = pauses()
const tokens = [tokenAddress(1), tokenAddress(2)]
const holders = [tokenAddress(0xa), tokenAddress(0xb), tokenAddress(0xc)]
const pairs = tokens.flatMap((token) =>
  holders.map((holder) => ({ token, holder, tokenId: null, value: 1n })),
)
/** A move hides its pairs. */
const deviates = (token: Address) => token === tokens[1]
type Pair = (typeof pairs)[number]
const nameOf = ({ token, holder }: { token: Address; holder: Address | null }) =>
  token.slice(-1) + (holder?.slice(-1) ?? '')

/** Blocks taken back, a block, observations of it or of one below, a restart. */
const step = fc.record({
  forkDepth: fc.constantFrom(0, 0, 0, 1, 2, 5),
  touched: fc.subarray(pairs),
  observed: fc.array(fc.record({ age: fc.nat(2), some: fc.subarray(pairs) }), { maxLength: 2 }),
  isRestarted: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Standing {
  readonly touched: readonly Pair[]
  readonly observed: readonly { readonly block: number; readonly some: readonly Pair[] }[]
}

/** Pairs that an observation of the standing chain tells, worked out from the beginning. */
function observedIn(chain: readonly Standing[]): string[] {
  const touchedAt = new Map<string, number>()
  const known = new Set<string>()
  for (const [number, { touched, observed }] of chain.entries()) {
    for (const pair of touched) {
      touchedAt.set(nameOf(pair), number)
      if (deviates(pair.token)) known.delete(nameOf(pair))
    }
    for (const { block, some } of observed) {
      for (const pair of some) {
        if (block >= (touchedAt.get(nameOf(pair)) ?? 0)) known.add(nameOf(pair))
      }
    }
  }
  return [...known].sort()
}

/** What is remembered after these steps, and what stands. */
async function remembered(steps: readonly Step[]) {
  const state = memoryStateStore()
  const source = new SourceOfValues()
  const chain: Standing[] = []
  let seen = new SeenPairs(state, limits)
  let sequence = 0
  let isExact = true
  const envelope = () => ({ version: blocksVersion, sequence: position(++sequence), chainId: 1 })
  const blockOf = (number: number) => {
    const block = source.blocks.get(number)
    if (block === undefined) throw new Error(`no block ${number}`)
    return block
  }
  const nothing = { supplies: [], owners: [], tokens: [] }
  for (const [salt, { forkDepth, touched, observed, isRestarted }] of steps.entries()) {
    for (let left = Math.min(forkDepth, chain.length); left > 0; left--) {
      const block = blockOf(chain.length - 1)
      seen.noteOrphan({ ...envelope(), kind: 'block.reverted', block, tokens: [], contracts: [] })
      source.blocks.delete(block.number)
      chain.pop()
      isExact = false
    }
    const number = chain.length
    const logs = touched.map(({ token, holder }) => transfer(token, [holder, holder]))
    const block = source.grow(salt + 1, [], logs)
    const applied = { ...envelope(), kind: 'block.applied', block, tokens: [] } as const
    await seen.noteBlock({ ...applied, contracts: [] }, { pause, deviates })
    const behind = observed.map(({ age, some }) => ({ block: Math.max(0, number - age), some }))
    for (const { block: at, some } of behind) {
      const { hash } = blockOf(at)
      const told = { block: at, hash, balances: some, ...nothing }
      seen.noteObserved(
        { ...envelope(), kind: 'state.observed', ...told },
        {
          head: number,
          isOutdated: () => false,
        },
      )
    }
    chain.push({ touched, observed: behind })
    if (!isRestarted) continue
    await state.commit(seen.unsaved())
    seen.saved()
    seen = new SeenPairs(state, limits)
    seen.load()
    isExact = false
  }
  await state.commit(seen.unsaved())
  seen.saved()
  const known = pairs.filter((pair) => seen.isObserved(pair, 0)).map(nameOf)
  return { known: known.sort(), chain, isExact, seen }
}

describe('seen pairs', () => {
  it('count as observed where the standing chain tells them, forks and restarts or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { known, chain, isExact } = await remembered(steps)
        const truth = observedIn(chain)
        // A fork or a restart may leave some that are asked for again, never one that is not.
        expect(truth).toEqual(expect.arrayContaining(known))
        if (isExact) expect(known).toEqual(truth)
      }),
      { numRuns: 300 },
    )
  })

  it('are all pairs that the standing chain has moved, in the order of their keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { chain, seen } = await remembered(steps)
        const moved = new Set(chain.flatMap(({ touched }) => touched.map(nameOf)))
        const held = [...seen.from(pairTag, 100)].map(({ key }) => nameOf(pairOfKey(key)))
        expect(held).toEqual(expect.arrayContaining([...moved]))
        expect(held).toEqual(held.toSorted())
        expect(seen.count).toBe(held.length)
      }),
      { numRuns: 100 },
    )
  })
})
