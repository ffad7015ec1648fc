import { type Address, withoutPrefix } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import type { TokenMetadata } from '../../../libs/chain/token.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { createdIn } from '../../../libs/projections/state/accounts.ts'
import type { BlockApplied } from '../../../libs/topics/blocks.ts'
import { isRebaseLog, logsOfContracts, marksNonStandard } from './non-standard-tokens.ts'
import { sequenceIn, sequenceValue } from './sequence-value.ts'

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
 * hold, and those that transfers do not explain. Derived from the log; a fork may leave some of
 * which it need not be asked.
 */
export class SweptTokens {
  readonly #created: SequenceTable
  readonly #deviating: SequenceTable
  #hasNews = false

  constructor(state: StateStore) {
    this.#created = new SequenceTable(state, 'k')
    this.#deviating = new SequenceTable(state, 'v')
  }

  async noteBlock({ block, sequence }: BlockApplied, pause: Pause): Promise<void> {
    for (const transaction of block.transactions) {
      for (const contract of createdIn(transaction)) {
        if (contract !== null) this.#created.put(contract, sequence)
        const paused = pause()
        if (paused !== undefined) await paused
      }
    }
    for (const log of logsOfContracts(block)) {
      const isNews = marksNonStandard(log) && this.#deviating.of(log.address) === undefined
      if (isNews || isRebaseLog(log)) this.#deviate(log.address, sequence)
      const paused = pause()
      if (paused !== undefined) await paused
    }
  }

  /** An observation says so: what was observed before it may be outdated. */
  noteDeviating(token: Address, sequence: number): void {
    this.#deviate(token, sequence - 1)
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
   * @param metadata what is known of the token
   */
  since(token: Address, gapAt: number, metadata: TokenMetadata | null): number | null {
    const deviating = this.#deviating.of(token)
    if (deviating !== undefined) return deviating
    const isCreatedSince = (this.#created.of(token) ?? 0) > gapAt
    const isComplete = isCreatedSince || (gapAt === 0 && metadata?.hasCodeBefore === false)
    return isComplete ? null : 0
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    yield* this.#created.unsaved()
    yield* this.#deviating.unsaved()
  }

  saved(): void {
    this.#created.saved()
    this.#deviating.saved()
  }

  async forget(): Promise<void> {
    await this.#created.forget()
    await this.#deviating.forget()
  }

  #deviate(token: Address, sequence: number): void {
    this.#deviating.put(token, sequence)
    this.#hasNews = true
  }
}
