import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
import { type BalanceRef, PendingBalances } from './pending-balances.ts'

const limits = { pendingBalancesMax: 1_000, reorganisationDepthMax: 8 }
const tokens = [tokenAddress(1), tokenAddress(2)]
const holders = [null, tokenAddress(0xa), tokenAddress(0xb)]
const balances = tokens.flatMap((token) => holders.map((holder) => ({ token, holder })))
const keyOf = ({ token, holder }: BalanceRef) => token.slice(-1) + (holder?.slice(-1) ?? '')
const all = { countMax: 1_000, countMaxOf: () => 1_000 }
const dueOf = (pending: PendingBalances) => pending.due(all).flat().map(keyOf).sort()
const answersOf = (token: Address) => token === tokens[0]

const seen = (block: number, some: readonly BalanceRef[]) => ({
  block,
  balances: some.flatMap(({ token, holder }) =>
    holder === null ? [] : [{ token, holder, tokenId: null, value: 1n }],
  ),
  supplies: some.flatMap(({ token, holder }) => (holder === null ? [{ token, value: 1n }] : [])),
})

/** A block, then observations behind it, each of that block or of one below; or a fork. */
const step = fc.record({
  forkDepth: fc.constantFrom(0, 0, 0, 1, 2, 5),
  touched: fc.subarray(balances),
  observed: fc.array(fc.record({ age: fc.nat(2), some: fc.subarray(balances) }), { maxLength: 2 }),
  isSaved: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Standing {
  readonly touched: readonly BalanceRef[]
  readonly observed: { readonly block: number; readonly some: readonly BalanceRef[] }[]
}

/** What the standing chain leaves unknown, worked out from the beginning. */
function unknownIn(chain: readonly Standing[]): string[] {
  const unknown = new Map<string, number>()
  for (const [number, { touched, observed }] of chain.entries()) {
    for (const balance of touched) unknown.set(keyOf(balance), number)
    for (const { block, some } of observed) {
      for (const balance of some) {
        const touchedAt = unknown.get(keyOf(balance))
        if (touchedAt !== undefined && block >= touchedAt) unknown.delete(keyOf(balance))
      }
    }
  }
  return [...unknown.keys()].sort()
}

/** The same chain, through kills between saves. */
async function folded(steps: readonly Step[]) {
  const state = memoryStateStore()
  let pending = new PendingBalances(state, limits, answersOf)
  const chain: Standing[] = []
  let hasForked = false
  for (const { forkDepth, touched, observed, isSaved } of steps) {
    for (let left = Math.min(forkDepth, chain.length); left > 0; left--) {
      chain.pop()
      pending.reopen(chain.length)
      hasForked = true
    }
    const number = chain.length
    pending.dropResolved(number)
    pending.enqueue(number, touched)
    const behind = observed.map(({ age, some }) => ({ block: Math.max(0, number - age), some }))
    for (const { block, some } of behind) pending.resolve(seen(block, some), number)
    chain.push({ touched, observed: behind })
    if (!isSaved) continue
    await state.commit(pending.unsaved())
    pending.saved()
    pending = new PendingBalances(state, limits, answersOf)
    pending.load()
  }
  return { pending, chain, hasForked, state }
}

describe('pending balances', () => {
  it('are those that the log leaves unknown, forks and kills or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { pending, chain, hasForked } = await folded(steps)
        const unknown = unknownIn(chain)
        if (!hasForked) expect(dueOf(pending)).toEqual(unknown)
        // A fork may leave some that are known: those cost a question.
        else expect(dueOf(pending)).toEqual(expect.arrayContaining(unknown))
      }),
      { numRuns: 200 },
    )
  })

  it('leave nothing in the store once all is observed and settled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { pending, chain, state } = await folded(steps)
        pending.resolve(seen(chain.length, balances), chain.length)
        pending.dropResolved(chain.length + limits.reorganisationDepthMax + 1)
        await state.commit(pending.unsaved())
        expect(pending.count).toBe(0)
        expect([...state.scan(Buffer.from('o'), 10)]).toHaveLength(0)
      }),
      { numRuns: 100 },
    )
  })

  it('give way at the bound: first those of tokens that never answered, then where most are', () => {
    const [known = tokenAddress(0), unknown = known] = tokens
    const few = { pendingBalancesMax: 40, reorganisationDepthMax: 8 }
    const pending = new PendingBalances(memoryStateStore(), few, answersOf)
    const of = (token: Address, count: number, from: number) =>
      Array.from({ length: count }, (_, at) => ({ token, holder: tokenAddress(from + at) }))
    pending.enqueue(1, of(known, 10, 0x100))
    expect(pending.enqueue(2, of(unknown, 35, 0x200))).toBe(6)
    expect([pending.count, pending.due(all).map((list) => list.length)]).toEqual([39, [10, 29]])
  })

  it('are written only if they last: the next message pays for most', () => {
    const pending = new PendingBalances(memoryStateStore(), limits, answersOf)
    pending.enqueue(5, balances)
    pending.resolve(seen(5, balances), 5)
    expect([pending.count, pending.unsaved()]).toEqual([0, []])
  })
})
