import type { Block, Observation } from '../../../libs/chain/block.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import type { BalanceRef } from './pending-balances.ts'
import { Sample } from './sample.ts'
import { TokenRing } from './token-ring.ts'
import { eachMove, type Move, type Touched, touchedIn } from './touched-pairs.ts'

interface RecentPair {
  /** What was observed last, and all that has moved since; null: nothing was. */
  expected: bigint | null
  movedAt: number
  /** The block of what was observed last; -1: nothing was. */
  observedAt: number
}

interface RecentToken {
  /** By holder; those that were not observed for longest come first. */
  readonly pairs: Map<Address, RecentPair>
  /** It has been in a sample since it is remembered. */
  hadTurn: boolean
}

interface Sampling {
  readonly block: Block
  /** Blocks before it that this memory has not noted yet. */
  readonly earlier: readonly Block[]
  readonly countMax: number
  readonly isAskable: (token: Address) => boolean
  readonly pause: Pause
}

/**
 * Pairs that transfers have moved of late, bounded. A sample of them is observed after each block:
 * whether transfers explain a token cannot be known from its logs. Derived from the log; losing it
 * costs nothing but the pairs until they move again.
 *
 * Nobody can keep others from their turns. A token that is remembered stays until it has had one,
 * and a quarter of each sample goes to those that have waited longest. Another quarter goes around
 * among the tokens of the block itself, remembered or not. Where there are too many pairs, all
 * tokens keep equally many.
 */
export class RecentPairs {
  readonly #pairsMax: number
  /** Those that have waited longest for a turn come first. */
  readonly #tokens = new Map<Address, RecentToken>()
  readonly #ring = new TokenRing()
  /** Tokens of the last sample. */
  #lastAsked: ReadonlySet<Address> = new Set()
  #count = 0
  /** Of blocks to sample: each is looked at for all that come after it, too. */
  readonly #touched = new WeakMap<Block, Touched>()

  constructor({ recentPairsMax }: { readonly recentPairsMax: number }) {
    this.#pairsMax = recentPairsMax
  }

  async note(block: Block, pause: Pause): Promise<void> {
    await eachMove(block, pause, (move) => {
      this.#noteMove(move, block.number)
      if (this.#count > 2 * this.#pairsMax) this.#makeRoom()
    })
    if (this.#count > this.#pairsMax) this.#makeRoom()
  }

  /** @returns tokens with a balance that is not the one before and what has moved since */
  noteObserved({ block, balances }: Pick<Observation, 'block' | 'balances'>): Address[] {
    const deviating = new Set<Address>()
    for (const { token, holder, tokenId, value } of balances) {
      const pairs = this.#tokens.get(token)?.pairs
      const pair = pairs?.get(holder)
      if (pairs === undefined || pair === undefined) continue
      if (tokenId !== null || block < pair.movedAt) continue
      if (pair.expected !== null && pair.expected !== value) deviating.add(token)
      pair.expected = value
      pair.observedAt = block
      pairs.delete(holder)
      pairs.set(holder, pair)
      this.#noteTurn(token)
    }
    return [...deviating]
  }

  /** All is as it was before the block, but nothing is expected of what was observed since. */
  async noteReverted(block: Block, pause: Pause): Promise<void> {
    const { number } = block
    await eachMove(block, pause, ({ token, holder, delta }) => {
      const pair = this.#tokens.get(token)?.pairs.get(holder)
      if (pair === undefined) return
      if (pair.expected !== null) pair.expected -= delta
      pair.movedAt = Math.min(pair.movedAt, number - 1)
    })
    for (const { pairs } of this.#tokens.values()) {
      for (const pair of pairs.values()) if (pair.observedAt >= number) pair.expected = null
    }
  }

  /**
   * What to observe after a block: of tokens in turn their supply and a holder, which go together,
   * as supplies would take all places in a busy block; then more of what the block moved, of what
   * it called, and of what waits longest.
   */
  async sample(sampling: Sampling): Promise<readonly BalanceRef[]> {
    const { block, earlier, countMax, isAskable, pause } = sampling
    const { holders, called } = await this.#touchedBy(block, pause)
    const before: Touched['holders'][] = []
    for (const one of earlier) before.push((await this.#touchedBy(one, pause)).holders)
    const moved = (token: Address): Iterable<Address> => holders.get(token) ?? []
    const recent = (token: Address): readonly Address[] => [
      ...before.flatMap((of) => [...(of.get(token) ?? [])]),
      ...(this.#tokens.get(token)?.pairs.keys() ?? []),
    ]
    const present: Address[] = []
    for (const token of new Set([...holders.keys(), ...called])) {
      const paused = pause()
      if (paused !== undefined) await paused
      const isOfOthers = before.some((of) => of.has(token)) || this.#tokens.has(token)
      if ((holders.has(token) || isOfOthers) && isAskable(token)) present.push(token)
    }
    const chosen = new Sample(countMax)
    const tokensMax = Math.ceil(countMax / 2)
    const waiting = this.#waitingLongest(Math.ceil(tokensMax / 2), isAskable)
    for (const token of waiting) chosen.addToken(token, recent(token))
    const left = { countMax: tokensMax - waiting.length, pause }
    for (const token of await this.#inTurn(present, waiting, left)) {
      chosen.addToken(token, holders.has(token) ? moved(token) : recent(token))
    }
    chosen.addHolders(present, moved)
    chosen.addHolders(present, recent)
    for (const token of chosen.isFull ? [] : this.#waitingLongest(tokensMax, isAskable)) {
      chosen.addToken(token, recent(token))
    }
    if (!chosen.isFull) chosen.addHolders([...this.#tokens.keys()].filter(isAskable), recent)
    this.#lastAsked = chosen.tokens
    for (const token of chosen.tokens) this.#noteTurn(token)
    return chosen.refs
  }

  /** Tokens of the block: those of the last sample only where there are no others. */
  async #inTurn(
    present: readonly Address[],
    others: readonly Address[],
    { countMax, pause }: { readonly countMax: number; readonly pause: Pause },
  ): Promise<readonly Address[]> {
    const taken = new Set(others)
    const open = present.filter((token) => !taken.has(token))
    const isLast = (token: Address) => this.#lastAsked.has(token)
    const fresh = open.filter((token) => !isLast(token))
    const next = await this.#ring.next(fresh, { countMax, pause })
    const last = open.filter(isLast).slice(0, countMax - next.length)
    return [...next, ...last]
  }

  #waitingLongest(countMax: number, isAskable: Sampling['isAskable']): readonly Address[] {
    const found: Address[] = []
    for (const token of [...this.#tokens.keys()]) {
      if (found.length === countMax) break
      if (isAskable(token)) found.push(token)
      else this.#noteTurn(token)
    }
    return found
  }

  /** To the end. */
  #noteTurn(token: Address): void {
    const known = this.#tokens.get(token)
    if (known === undefined) return
    known.hadTurn = true
    this.#tokens.delete(token)
    this.#tokens.set(token, known)
  }

  async #touchedBy(block: Block, pause: Pause): Promise<Touched> {
    const known = this.#touched.get(block)
    if (known !== undefined) return known
    const touched = await touchedIn(block, pause)
    this.#touched.set(block, touched)
    return touched
  }

  #noteMove({ token, holder, delta }: Move, block: number): void {
    const known = this.#tokens.get(token) ?? { pairs: new Map(), hadTurn: false }
    this.#tokens.set(token, known)
    const pair = known.pairs.get(holder)
    if (pair === undefined) {
      known.pairs.set(holder, { expected: null, movedAt: block, observedAt: -1 })
      this.#count += 1
      return
    }
    if (pair.expected !== null) pair.expected += delta
    pair.movedAt = block
  }

  /** Of tokens those go first that had a turn, then the newest. */
  #makeRoom(): void {
    const tokens = [...this.#tokens]
    const served = tokens.filter(([, { hadTurn }]) => hadTurn)
    const others = tokens.filter(([, { hadTurn }]) => !hadTurn).reverse()
    const excess = Math.max(0, tokens.length - this.#pairsMax)
    for (const [token] of [...served, ...others].slice(0, excess)) this.#tokens.delete(token)
    const left = [...this.#tokens.values()]
    const share = equalShare(
      left.map(({ pairs }) => pairs.size),
      this.#pairsMax,
    )
    this.#count = 0
    for (const { pairs } of left) {
      for (const holder of pairs.keys()) if (pairs.size > share) pairs.delete(holder)
      this.#count += pairs.size
    }
  }
}

/** The most that each may have of what it wants, so that all together have at most `max`. */
function equalShare(wanted: readonly number[], max: number): number {
  let left = max
  let open = wanted.length
  for (const count of wanted.toSorted((one, other) => one - other)) {
    if (count * open > left) return Math.floor(left / open)
    left -= count
    open -= 1
  }
  return max
}
