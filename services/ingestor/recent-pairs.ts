import type { Block, Observation } from '../../libs/chain/block.ts'
import { coinEmittersOf } from '../../libs/chain/coin-emitters.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { BlockTransfers } from '../../libs/projections/transfers.ts'
import type { BalanceRef } from './pending-balances.ts'

interface RecentPair {
  readonly token: Address
  readonly holder: Address
  /** What was observed last, and all that has moved since; null: nothing was. */
  expected: bigint | null
  movedAt: number
}

interface Sampling {
  readonly block: Block
  /** Blocks before it that this memory has not noted yet. */
  readonly earlier: readonly Block[]
  readonly countMax: number
  readonly isAskable: (token: Address) => boolean
}

const keyOf = (token: Address, holder: Address): string => token + holder

/** Balances that a block moves, each transfer two; a block with more of them is not looked at. */
const movesPerBlockMax = 10_000

/**
 * Pairs that transfers have moved of late, bounded. A sample of them is observed after each block:
 * whether transfers explain a token cannot be known from its logs. Derived from the log; losing it
 * costs nothing but the pairs until they move again.
 */
export class RecentPairs {
  readonly #pairsMax: number
  /** Those that were not observed for longest come first. */
  readonly #pairs = new Map<string, RecentPair>()
  readonly #ofToken = new Map<Address, Set<Address>>()
  readonly #checkedAt = new Map<Address, number>()
  /** Of blocks to sample: each is looked at for all that come after it, too. */
  readonly #moves = new WeakMap<Block, readonly Move[] | null>()

  constructor({ recentPairsMax }: { readonly recentPairsMax: number }) {
    this.#pairsMax = recentPairsMax
  }

  note(block: Block): void {
    const moves = movesIn(block)
    if (moves === null) {
      // It may have moved any of them.
      this.#forget()
      return
    }
    for (const { token, holder, delta } of moves) {
      const key = keyOf(token, holder)
      const pair = this.#pairs.get(key) ?? { token, holder, expected: null, movedAt: 0 }
      if (pair.expected !== null) pair.expected += delta
      pair.movedAt = block.number
      this.#pairs.set(key, pair)
      const holders = this.#ofToken.get(token) ?? new Set<Address>()
      this.#ofToken.set(token, holders.add(holder))
    }
    for (const pair of this.#pairs.values()) {
      if (this.#pairs.size <= this.#pairsMax) return
      this.#delete(pair)
    }
  }

  /** @returns tokens with a balance that is not the one before and what has moved since */
  noteObserved({ block, balances }: Pick<Observation, 'block' | 'balances'>): Address[] {
    const deviating = new Set<Address>()
    for (const { token, holder, tokenId, value } of balances) {
      const key = keyOf(token, holder)
      const pair = this.#pairs.get(key)
      if (pair === undefined || tokenId !== null || block < pair.movedAt) continue
      if (pair.expected !== null && pair.expected !== value) deviating.add(token)
      pair.expected = value
      this.#pairs.delete(key)
      this.#pairs.set(key, pair)
      this.#checkedAt.set(token, block)
    }
    return [...deviating]
  }

  /** A block was reverted: what was observed before says nothing of what comes. */
  forgetExpected(): void {
    for (const pair of this.#pairs.values()) pair.expected = null
  }

  /** What to observe after a block: what it moved, what it called, then what waits longest. */
  sample({ block, earlier, countMax, isAskable }: Sampling): readonly BalanceRef[] {
    const moves = this.#movesOf(block)
    if (moves === null) return []
    const touched = holdersByToken(moves)
    const ring = holdersByToken(earlier.flatMap((one) => this.#movesOf(one) ?? []))
    const recent = (token: Address) => [
      ...(ring.get(token) ?? []),
      ...(this.#ofToken.get(token) ?? []),
    ]
    const called = calledIn(block).filter((token) => recent(token).length > 0)
    const byCheck = (tokens: Iterable<Address>) =>
      [...tokens].sort((one, other) => this.#byCheck(one, other))
    const supplies = byCheck(new Set([...touched.keys(), ...called]))
    // A token's supply goes with a holder: in a busy block supplies would take all places.
    const wanted = [
      ...supplies.flatMap((token) => {
        const [holder = null] = touched.get(token) ?? recent(token)
        return [
          { token, holder: null },
          { token, holder },
        ]
      }),
      ...inTurns(
        byCheck(touched.keys()).map((token) => [token, touched.get(token) ?? []] as const),
      ),
      ...inTurns(called.map((token) => [token, recent(token)] as const)),
    ]
    const chosen = new Map<string, BalanceRef>()
    const choose = (ref: BalanceRef) => {
      if (chosen.size < countMax && isAskable(ref.token))
        chosen.set(ref.token + (ref.holder ?? ''), ref)
    }
    for (const ref of wanted) choose(ref)
    for (const { token, holder } of this.#pairs.values()) {
      if (chosen.size >= countMax) break
      choose({ token, holder })
    }
    return [...chosen.values()]
  }

  readonly #byCheck = (one: Address, other: Address): number =>
    (this.#checkedAt.get(one) ?? -1) - (this.#checkedAt.get(other) ?? -1)

  #movesOf(block: Block): readonly Move[] | null {
    const known = this.#moves.get(block)
    if (known !== undefined) return known
    const moves = movesIn(block)
    this.#moves.set(block, moves)
    return moves
  }

  #forget(): void {
    this.#pairs.clear()
    this.#ofToken.clear()
    this.#checkedAt.clear()
  }

  #delete({ token, holder }: RecentPair): void {
    this.#pairs.delete(keyOf(token, holder))
    const holders = this.#ofToken.get(token)
    holders?.delete(holder)
    if (holders?.size !== 0) return
    this.#ofToken.delete(token)
    this.#checkedAt.delete(token)
  }
}

interface Move {
  readonly token: Address
  readonly holder: Address
  readonly delta: bigint
}

/**
 * Null for a block with too many. Ids of ERC-1155 have no balance that a contract returns for a
 * holder alone: their logs, which may hold hundreds of thousands of transfers, are not decoded.
 */
function movesIn(block: Block): readonly Move[] | null {
  const moves: Move[] = []
  const transfers = new BlockTransfers(block)
  for (const log of block.transactions.flatMap(({ logs }) => logs)) {
    for (const { token, from, to, value } of transfers.amountsOfLog(log)) {
      if (moves.length >= movesPerBlockMax) return null
      if (from !== zeroAddress) moves.push({ token, holder: from, delta: -value })
      if (to !== zeroAddress) moves.push({ token, holder: to, delta: value })
    }
  }
  return moves
}

function holdersByToken(moves: readonly Move[]): ReadonlyMap<Address, ReadonlySet<Address>> {
  const found = new Map<Address, Set<Address>>()
  for (const { token, holder } of moves) {
    found.set(token, (found.get(token) ?? new Set<Address>()).add(holder))
  }
  return found
}

/** Contracts that a block called, as far as it tells, and those that logged anything. */
function calledIn(block: Block): readonly Address[] {
  const coinEmitters = coinEmittersOf(block)
  const called = new Set<Address>()
  for (const { to, logs, calls } of block.transactions) {
    if (to !== null) called.add(to)
    for (const { address } of logs) called.add(address)
    for (const call of calls ?? []) if (call.to !== null) called.add(call.to)
  }
  return [...called].filter((address) => !coinEmitters.has(address))
}

/** One holder of each token after the other, so that no token takes all places. */
function* inTurns(
  tokens: readonly (readonly [Address, Iterable<Address>])[],
): Generator<BalanceRef> {
  let open = tokens.map(([token, holders]) => ({ token, holders: holders[Symbol.iterator]() }))
  while (open.length > 0) {
    const left: typeof open = []
    for (const one of open) {
      const next = one.holders.next()
      if (next.done === true) continue
      yield { token: one.token, holder: next.value }
      left.push(one)
    }
    open = left
  }
}
