import { LRUCache } from 'lru-cache'
import type { Address } from '../../../libs/chain/hex.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { fits } from '../../../libs/projections/state/holder-count.ts'
import { inTurn } from '../balances/in-turn.ts'
import {
  afterPairsOf,
  nameOfKey,
  pairKey,
  pairOfKey,
  pairTag,
  tokenOfKey,
} from '../balances/pair-key.ts'
import type { TokenMemory } from '../memory/token-memory.ts'
import { SweepRound, type Visit, type Visited } from './sweep-round.ts'

/** Keys looked at for one question. */
const keysMax = 5_000
/** … and of one token before the next has its turn, a millisecond; and pairs asked for of it. */
const [keysPerTurnMax, pairsPerTurnMax] = [512, 32]
/** Pairs that their contract refused to tell, and blocks before they are asked for again. */
const [refusedMax, refusedBlocks] = [10_000, 4_096]
/** Pairs moved for the first time that wait for their question; the others are found in turn. */
const waitingMax = 4_096
/** Of a question, for pairs that are known but were not observed in the present period. */
const againShare = 4
/** Blocks without a walk after a round that found nothing. */
const restBlocks = 64

type Walked = Pick<TokenMemory, 'pairs' | 'swept' | 'seen' | 'queue' | 'nonStandard'>

/**
 * Pairs that a node has to be asked for, in turn. Half of a question is for pairs that the newest
 * blocks moved for the first time; the rest goes around among all tokens, a bounded number of keys
 * each. Some pairs of any token are asked for, too, so that a token of which no log tells that it
 * deviates is found.
 */
export class SweepWalk {
  readonly #memory: Walked
  /** When they are asked for again, by the names of their keys. */
  readonly #refused = new LRUCache<string, number>({ max: refusedMax })
  readonly #checkedMax: number
  #checkedTo: Buffer = pairTag
  /** Pairs that were moved for the first time, and not asked for yet. */
  #waiting: readonly StateRef[] = []
  #round = new SweepRound()
  #restsUntil = 0

  /** @param checkedMax pairs of any token asked for after a block, where there is room */
  constructor(memory: Walked, checkedMax: number) {
    this.#memory = memory
    this.#checkedMax = checkedMax
  }

  /** How much of the present round is done, by the order of addresses; 1 where nothing is left. */
  get progress(): number {
    if (this.#restsUntil > 0) return 1
    const at = this.#round.cursor
    return at.length <= pairTag.length ? 0 : at.readUInt32BE(pairTag.length) / 2 ** 32
  }

  /** Whether a round begins at that block: it sees what was saved before. */
  begins(block: number): boolean {
    return this.#round.isAtBegin && !this.#rests(block)
  }

  /** There is something to find: a rest is over. */
  wake(): void {
    this.#restsUntil = 0
  }

  /** Contracts refused to tell these as of a block. */
  noteRefused(pairs: readonly StateRef[], block: number): void {
    for (const pair of pairs) this.#refused.set(nameOfKey(pairKey(pair)), block + refusedBlocks)
  }

  /** @param block the newest one, as of which is asked */
  async next(block: number, sumMax: number): Promise<readonly StateRef[]> {
    const checkedMax = Math.min(this.#checkedMax, Math.floor(sumMax / 2))
    const countMax = sumMax - checkedMax
    const wanted = this.#fresh(block, this.#memory.pairs.takeFresh())
    const first = wanted.slice(0, Math.ceil(countMax / 2))
    const others = this.#rests(block) ? [] : await this.#around(block, first, countMax)
    const more = countMax - others.length
    this.#waiting = wanted.slice(more)
    const unknown = [...wanted.slice(0, more), ...others]
    return [...unknown, ...this.#checked(block, checkedMax)]
  }

  /** The next pairs of all, known or not; fewer where one is not to be asked for. */
  #checked(block: number, countMax: number): readonly StateRef[] {
    const found: StateRef[] = []
    let isAtEnd = true
    for (const { key } of this.#memory.pairs.from(this.#checkedTo, countMax)) {
      isAtEnd = false
      const pair = pairOfKey(key)
      // Owners come last of a token.
      if (pair.holder === null || !this.#isAskable(pair.token, block)) {
        this.#checkedTo = afterPairsOf(pair.token)
        break
      }
      this.#checkedTo = Buffer.concat([key, Buffer.of(0)])
      if (!this.#isRefused(nameOfKey(key), block)) found.push(pair)
    }
    if (isAtEnd && countMax > 0) this.#checkedTo = pairTag
    return found
  }

  /** Who names a holder may not know the standard. */
  #isOfForm({ token, holder, tokenId }: StateRef): boolean {
    const { metadata = null } = this.#memory.seen.of(token) ?? {}
    return holder === null || metadata === null || fits(metadata.standard, tokenId !== null)
  }

  #isRefused(name: string, block: number): boolean {
    return block < (this.#refused.get(name) ?? block)
  }

  #rests(block: number): boolean {
    if (this.#memory.swept.takeNews() || block >= this.#restsUntil) this.#restsUntil = 0
    return this.#restsUntil > 0
  }

  /** Those of all tokens in turn, so that none holds up the others. */
  #fresh(block: number, news: readonly StateRef[]) {
    const byToken = new Map<Address, { since: number | null; list: StateRef[] }>()
    for (const pair of [...this.#waiting, ...news].slice(-waitingMax)) {
      const { token } = pair
      const known = byToken.get(token) ?? { since: this.#sinceOf(token, block), list: [] }
      byToken.set(token, known)
      const { since, list } = known
      if (since === null || !isAskedSince(pair, since)) continue
      if (this.#isRefused(nameOfKey(pairKey(pair)), block)) continue
      if (!this.#memory.pairs.isObserved(pair, since)) list.push(pair)
    }
    const lists = [...byToken.values()].map(({ list }) => list)
    return inTurn(lists, waitingMax)
  }

  /** What a part of the round finds besides those that are chosen already. */
  async #around(
    block: number,
    chosen: readonly StateRef[],
    sumMax: number,
  ): Promise<readonly StateRef[]> {
    const pause = pauses()
    const countMax = sumMax - chosen.length
    const found: StateRef[] = []
    const taken = new Set(chosen.map((pair) => nameOfKey(pairKey(pair))))
    const again = { left: Math.ceil(countMax / againShare) }
    let [left, before] = [keysMax, -1]
    while (found.length < countMax && left > 0) {
      const visit = { found, taken, again, countMax, keysMax: left }
      const { looked, isAtEnd } = this.#visitNext(block, visit)
      left -= looked
      if (isAtEnd && !this.#round.beginsPass()) {
        if (this.#endRound(block) || found.length === before) break
        before = found.length
      }
      await pause()
    }
    return found
  }

  #visitNext(block: number, visit: Visit): Visited {
    if (!this.#round.seek()) return { looked: 0, isAtEnd: true, isTurnOver: true }
    const visited = this.#visit(block, visit)
    return this.#round.endTurn(visited.isTurnOver) ? { ...visited, isAtEnd: true } : visited
  }

  /** The next token, from where its last turn ended. */
  #visit(block: number, { found, taken, again, countMax, keysMax }: Visit): Visited {
    const { pairs } = this.#memory
    let [looked, turn] = [0, 0]
    let token: Address | null = null
    let since: number | null = null
    let againSince = 0
    for (const { key, at } of pairs.from(this.#round.cursor, keysMax)) {
      looked += 1
      const isFirst = token === null
      const owner = tokenOfKey(key)
      if (token !== null && owner !== token) return { looked, isAtEnd: false, isTurnOver: true }
      token = owner
      if (isFirst) {
        since = this.#sinceOf(token, block)
        againSince = this.#memory.swept.againSince(token)
        if (since === null) return this.#jump(afterPairsOf(token), looked)
      }
      if (found.length >= countMax) return { looked, isAtEnd: false, isTurnOver: false }
      if (turn === pairsPerTurnMax || looked > keysPerTurnMax) {
        this.#round.cut(token, key)
        return this.#jump(afterPairsOf(token), looked)
      }
      this.#round.cursor = Buffer.concat([key, Buffer.of(0)])
      const pair = pairOfKey(key)
      // Owners come last of a token.
      if (since === null || !isAskedSince(pair, since))
        return this.#jump(afterPairsOf(token), looked)
      const isKnown = pairs.counts(at, since)
      if (isKnown && pairs.counts(at, againSince)) continue
      const name = nameOfKey(key)
      if (this.#isRefused(name, block) || !this.#isOfForm(pair)) continue
      this.#round.found += 1
      if (taken.has(name) || (isKnown && again.left === 0)) continue
      taken.add(name)
      if (isKnown) again.left -= 1
      found.push(pair)
      turn += 1
    }
    return { looked, isAtEnd: looked < keysMax, isTurnOver: looked < keysMax }
  }

  #jump(cursor: Buffer, looked: number): Visited {
    this.#round.cursor = cursor
    return { looked, isAtEnd: false, isTurnOver: true }
  }

  /** @returns whether nothing is left to find */
  #endRound(block: number): boolean {
    const isDone = this.#round.found === 0
    this.#round = new SweepRound()
    if (isDone) this.#restsUntil = block + restBlocks
    return isDone
  }

  #sinceOf(token: Address, block: number): number | null {
    const { swept, pairs } = this.#memory
    return this.#isAskable(token, block) ? swept.since(token, pairs.gapAt) : null
  }

  /**
   * Before its metadata is known, its transfers may still be read anew. Holders may be named of a
   * token that the log has not shown.
   */
  #isAskable(token: Address, block: number): boolean {
    const { nonStandard, queue, seen } = this.#memory
    if (nonStandard.isPaused(token, block) || queue.has(token)) return false
    return seen.of(token) !== undefined
  }
}

/** The log tells who owns an id that it has moved, unless its token deviates. */
const isAskedSince = ({ holder }: StateRef, since: number): boolean => holder !== null || since > 0
