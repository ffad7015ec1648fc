import type { Address } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import type {
  BlockApplied,
  BlockReverted,
  GapDeclared,
  StateObserved,
} from '../../../libs/topics/blocks.ts'
import type { OwnerMove } from './last-owners.ts'
import { MovedLately } from './moved-lately.ts'
import { eachMovedPair } from './moved-pairs.ts'
import { ObservationMarks } from './observation-marks.ts'
import { ObservedLately } from './observed-lately.ts'
import { nameOfKey, nameOfToken, pairKey, pairTag } from './pair-key.ts'
import { sequenceIn, sequenceValue } from './sequence-value.ts'
import { valuesIn } from './state-questions.ts'

const marksKey = Buffer.from('seen-marks')
const countKey = Buffer.from('seen-count')

/** Pairs seen for the first time that are kept apart. */
const freshMax = 4_096

export interface SeenPairsLimits {
  /** Pairs remembered; others are observed only when they move. */
  readonly seenPairsMax: number
  /** Pairs of one block that are remembered. */
  readonly seenPairsPerBlockMax: number
  /** Observed pairs of the newest blocks that are remembered for the case of a fork. */
  readonly observedPairsMax: number
  /** Blocks that a fork can revert. */
  readonly reorganisationDepthMax: number
}

interface Noting {
  readonly pause: Pause
  readonly deviates: (token: Address) => boolean
  readonly onOwner?: (move: OwnerMove) => void
}

/** The key of a name, see `nameOfKey`. */
const keyOf = (name: string): Buffer => Buffer.from(name, 'latin1')

/**
 * Every pair of a token and a holder (and the id, of ERC-1155), and every id of ERC-721, that the
 * log has moved, with the sequence of the last observation that makes it known; 0 if there is none.
 * Derived from the log. Transfers explain what comes after it, unless the token deviates.
 */
export class SeenPairs {
  readonly #state: StateStore
  readonly #limits: SeenPairsLimits
  readonly #marks: ObservationMarks
  readonly #unsaved = new Map<string, number>()
  readonly #moved = new MovedLately()
  readonly #lately: ObservedLately
  #count = 0
  #fresh: StateRef[] = []
  /** Pairs that moved before this process began are not known. */
  isPartial = false

  constructor(state: StateStore, limits: SeenPairsLimits) {
    this.#state = state
    this.#limits = limits
    this.#marks = new ObservationMarks(limits.reorganisationDepthMax)
    this.#lately = new ObservedLately(limits.observedPairsMax)
  }

  /** Reads what was saved. A volume of an earlier release lacks it. */
  load(): void {
    const marks = this.#state.get(marksKey)
    this.isPartial = marks === undefined
    if (marks !== undefined) this.#marks.load(marks)
    const count = this.#state.get(countKey)
    this.#count = count === undefined ? 0 : sequenceIn(count)
  }

  get count(): number {
    return this.#count
  }

  /** No pair is remembered that was not seen before. */
  get isFull(): boolean {
    return this.#count >= this.#limits.seenPairsMax
  }

  get unsavedCount(): number {
    return this.#unsaved.size
  }

  /** Of the last gap of the log, 0 if there is none: what was known before it is not. */
  get gapAt(): number {
    return this.#marks.gapAt
  }

  /**
   * @param deviates whether transfers do not explain a token: a move hides its pair
   * @param onOwner receives ids of ERC-721 that it moves
   * @returns how many pairs are not remembered, and whether all were looked at
   */
  async noteBlock(
    { block, sequence }: BlockApplied,
    { pause, deviates, onOwner }: Noting,
  ): Promise<{ readonly dropped: number; readonly isWhole: boolean }> {
    this.#lately.begin(sequence)
    this.#marks.noteApplied(block.number, sequence)
    const moved = new Set<string>()
    let dropped = 0
    const cut = await eachMovedPair(block, {
      ...{ pause, onOwner },
      note: (pair) => {
        const key = pairKey(pair)
        const name = nameOfKey(key)
        if (moved.has(name)) return true
        moved.add(name)
        const isSeen = this.#observedAt(key, name) !== undefined
        if (isSeen && !deviates(pair.token)) return true
        if (this.#put(name, 0, isSeen)) this.#fresh.push(pair)
        else dropped += 1
        return moved.size < this.#limits.seenPairsPerBlockMax
      },
    })
    for (const token of cut ?? []) moved.add(nameOfToken(token))
    this.#moved.note(block.number, cut && moved)
    this.#lately.forgetBelow(block.number - this.#limits.reorganisationDepthMax)
    this.#fresh = this.#fresh.slice(-freshMax)
    return { dropped: dropped + (cut === null ? 1 : cut.size), isWhole: cut !== null }
  }

  noteOrphan({ block, sequence }: BlockReverted): void {
    const from = this.#marks.noteReverted(block.number)
    this.#moved.forget(block.number)
    if (from < this.#lately.from) this.#marks.noteVoid(from, sequence)
    for (const name of this.#lately.takeSince(from)) this.#put(name, 0, true)
  }

  /**
   * @param head the newest block at that place of the log
   * @param isOutdated whether a token says that all of its balances have changed since
   */
  noteObserved(
    message: StateObserved,
    { head, isOutdated }: { head: number; isOutdated: (token: Address) => boolean },
  ): void {
    const { block, sequence } = message
    this.#lately.begin(sequence)
    if (block < this.#marks.gapEnd) return
    const names: string[] = []
    for (const value of valuesIn(message)) {
      if (value.holder === null && value.tokenId === null) continue
      const key = pairKey(value)
      const name = nameOfKey(key)
      if (isOutdated(value.token) || this.#moved.isOutdated(name, block, head)) continue
      const isSeen = this.#observedAt(key, name) !== undefined
      if (this.#put(name, sequence, isSeen)) names.push(name)
    }
    this.#lately.note({ sequence, block: head, names })
  }

  noteGap({ sequence, to }: GapDeclared): void {
    this.#marks.noteGap(sequence, to)
  }

  /** Somebody names a pair that the log need not have moved. @returns whether it is remembered */
  noteNamed(pair: StateRef): boolean {
    const key = pairKey(pair)
    const name = nameOfKey(key)
    return this.#observedAt(key, name) !== undefined || this.#put(name, 0, false)
  }

  /** Pairs that were seen for the first time since it was called last; of many the newest. */
  takeFresh(): readonly StateRef[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }

  /** Whether it is known what the blocks after `block` have changed. */
  isFollowed(block: number, head: number): boolean {
    return this.#moved.isFollowed(block, head)
  }

  /** Whether a pair was observed after `since`, so that it is known. */
  isObserved(pair: StateRef, since: number): boolean {
    const key = pairKey(pair)
    return this.#marks.counts(this.#observedAt(key, nameOfKey(key)) ?? 0, since)
  }

  /** Saved pairs in the order of their keys, from `from` on; those not saved yet come later. */
  *from(from: Buffer, countMax: number): Generator<{ readonly key: Buffer; readonly at: number }> {
    for (const { key, value } of this.#state.scan(pairTag, countMax, from)) {
      yield { key, at: this.#unsaved.get(nameOfKey(key)) ?? sequenceIn(value) }
    }
  }

  /** Whether an observation of that sequence, 0 if there is none, counts after `since`. */
  counts(observedAt: number, since: number): boolean {
    return this.#marks.counts(observedAt, since)
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    for (const [name, at] of this.#unsaved) yield [keyOf(name), sequenceValue(at)]
    yield [marksKey, this.#marks.bytes()]
    yield [countKey, sequenceValue(this.#count)]
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    this.#moved.clear()
    this.#lately.clear()
    this.#count = 0
    this.#fresh = []
    this.#marks.clear()
    await removeAll(this.#state, pairTag)
  }

  #observedAt(key: Buffer, name: string): number | undefined {
    const unsaved = this.#unsaved.get(name)
    if (unsaved !== undefined) return unsaved
    const value = this.#state.get(key)
    return value && sequenceIn(value)
  }

  /** @returns false for a pair that was not seen, where there are as many as may be */
  #put(name: string, at: number, isSeen: boolean): boolean {
    if (!isSeen && this.isFull) return false
    if (!isSeen) this.#count += 1
    this.#unsaved.set(name, at)
    return true
  }
}
