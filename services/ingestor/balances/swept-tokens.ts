import { LRUCache } from 'lru-cache'
import { type Address, withoutPrefix } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { createdIn } from '../../../libs/projections/state/accounts.ts'
import type { BlockApplied, BlockReverted, StateObserved } from '../../../libs/topics/blocks.ts'
import { isRebaseLog, logsOfContracts, marksNonStandard } from './non-standard-tokens.ts'
import { sequenceBytes, sequenceIn, sequenceValue } from './sequence-value.ts'

/** Deviations whose block is remembered: observations are some blocks old at most. */
const outdatedMax = 10_000

const periodKey = Buffer.from('sweep-period')

interface Noting {
  /** Whether the address is a token that was there before. */
  readonly isSeen: (token: Address) => boolean
  /** The sequence of the last gap in the log, 0 if there is none. */
  readonly gapAt: number
  readonly pause: Pause
}

/** A sequence of the log for each of some addresses. */
class SequenceTable {
  readonly #state: StateStore
  readonly #tag: Buffer
  readonly #unsaved = new Map<Address, number>()

  constructor(state: StateStore, tag: string) {
    this.#state = state
    this.#tag = Buffer.from(tag)
  }

  of(address: Address): number | undefined {
    const unsaved = this.#unsaved.get(address)
    if (unsaved !== undefined) return unsaved
    const value = this.#state.get(this.#keyOf(address))
    return value && sequenceIn(value)
  }

  put(address: Address, sequence: number): void {
    this.#unsaved.set(address, sequence)
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    for (const [address, at] of this.#unsaved) yield [this.#keyOf(address), sequenceValue(at)]
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await removeAll(this.#state, this.#tag)
  }

  #keyOf(address: Address): Buffer {
    return Buffer.concat([this.#tag, Buffer.from(withoutPrefix(address), 'hex')])
  }
}

/**
 * Tokens of which a node has to be asked for every balance: those whose history the log does not
 * hold, and, again and again, those that transfers do not explain. Derived from the log; a fork may
 * leave some of which it need not be asked.
 */
export class SweptTokens {
  /** With all of their history in the log since that sequence. */
  readonly #complete: SequenceTable
  readonly #deviating: SequenceTable
  /** The newest block that outdated all balances of a token, of the newest deviations. */
  readonly #outdatedAt = new LRUCache<Address, number>({ max: outdatedMax })
  readonly #state: StateStore
  readonly #periodSeconds: number
  /** Of the newest block; null before the first. */
  #period: number | null = null
  /** The sequence with which it begins; 0: before the log did, or this memory. */
  #periodFrom = 0
  #hasNews = false

  /** @param periodSeconds of chain time, after which tokens that deviate are asked again */
  constructor(state: StateStore, periodSeconds: number) {
    this.#state = state
    this.#periodSeconds = periodSeconds
    this.#complete = new SequenceTable(state, 'k')
    this.#deviating = new SequenceTable(state, 'v')
  }

  /** Reads what was saved. */
  load(): void {
    const saved = this.#state.get(periodKey)
    if (saved === undefined) return
    this.#period = sequenceIn(saved)
    this.#periodFrom = sequenceIn(saved.subarray(sequenceBytes))
  }

  async noteBlock(
    { block, sequence, tokens }: BlockApplied,
    { isSeen, gapAt, pause }: Noting,
  ): Promise<void> {
    this.#notePeriod(block.timestamp, sequence)
    for (const transaction of block.transactions) {
      for (const contract of createdIn(transaction)) {
        if (contract !== null && !isSeen(contract)) this.#complete.put(contract, sequence)
        const paused = pause()
        if (paused !== undefined) await paused
      }
    }
    for (const { address, hasCodeBefore } of tokens) {
      const isNews = !this.#complete.of(address)
      if (isNews && hasCodeBefore === false && gapAt === 0) this.#complete.put(address, sequence)
    }
    for (const log of logsOfContracts(block)) {
      const isNews = marksNonStandard(log) && this.#deviating.of(log.address) === undefined
      if (isNews || isRebaseLog(log)) this.#deviate(log.address, { sequence, block: block.number })
      const paused = pause()
      if (paused !== undefined) await paused
    }
  }

  /** The metadata of a block that is left says nothing. */
  noteOrphan({ tokens }: BlockReverted): void {
    for (const { address, hasCodeBefore } of tokens) {
      if (hasCodeBefore === false) this.#complete.put(address, 0)
    }
  }

  /** A log of the block says so, of a token of which none did before. */
  noteContradicted(token: Address, { block, sequence }: BlockApplied): void {
    if (!this.deviates(token)) this.#deviate(token, { sequence, block: block.number })
  }

  /** An observation says so: what was observed before it may be outdated. */
  noteDeviating(token: Address, { block, sequence }: StateObserved): void {
    this.#deviate(token, { sequence: sequence - 1, block })
  }

  deviates(token: Address): boolean {
    return this.#deviating.of(token) !== undefined
  }

  /** Whether an observation as of that block tells nothing of the token's balances now. */
  isOutdated(token: Address, block: number): boolean {
    return block < (this.#outdatedAt.get(token) ?? block)
  }

  /** Whether a token has deviated since it was called last. */
  takeNews(): boolean {
    const hasNews = this.#hasNews
    this.#hasNews = false
    return hasNews
  }

  /**
   * The sequence after which observations of its balances count; null if none are needed.
   *
   * @param gapAt the sequence of the last gap in the log, 0 if there is none
   */
  since(token: Address, gapAt: number): number | null {
    const deviating = this.#deviating.of(token)
    if (deviating !== undefined) return deviating
    return (this.#complete.of(token) ?? 0) > gapAt ? null : 0
  }

  /** Of a token that deviates, what was observed until then is to be asked for once more. */
  againSince(token: Address): number {
    return this.deviates(token) ? this.#periodFrom : 0
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    const period = [this.#period ?? 0, this.#periodFrom].map(sequenceValue)
    if (this.#period !== null) yield [periodKey, Buffer.concat(period)]
    yield* this.#complete.unsaved()
    yield* this.#deviating.unsaved()
  }

  saved(): void {
    this.#complete.saved()
    this.#deviating.saved()
  }

  async forget(): Promise<void> {
    this.#period = null
    this.#periodFrom = 0
    await removeAll(this.#state, periodKey)
    await this.#complete.forget()
    await this.#deviating.forget()
  }

  #notePeriod(timestamp: number, sequence: number): void {
    const period = Math.floor(timestamp / this.#periodSeconds)
    if (this.#period !== null && period > this.#period) {
      this.#periodFrom = sequence
      this.#hasNews = true
    }
    this.#period = period
  }

  #deviate(token: Address, { sequence, block }: { sequence: number; block: number }): void {
    this.#deviating.put(token, sequence)
    this.#outdatedAt.set(token, block)
    this.#hasNews = true
  }
}
