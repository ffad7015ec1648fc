import type { Hash } from '../chain/hex.ts'
import type { SkipReason } from './acceptance.ts'
import type { BlocksMessage } from './blocks.ts'

/** Blocks of lost races that are remembered: as many as can be reverted. */
const lostBlocksMax = 256

/**
 * Distinguishes the leftovers of a lost race from a missing message. If two ingestors publish
 * concurrently, the first wins; the other's message is superseded, and those that it published on
 * top of it do not follow. No message is missing then: the loser reads the log and continues.
 */
export class LostRaceFilter {
  /** Heads of discarded branches. */
  readonly #lost = new Set<Hash>()

  /** Whether a skipped message needs no replacement. */
  isLost(message: BlocksMessage, reason: SkipReason): boolean {
    if (reason === 'too-deep') return false
    const isLost = reason === 'duplicate' || reason === 'superseded' || this.#isOnLost(message)
    if (isLost && reason !== 'duplicate') this.#remember(message)
    return isLost
  }

  /** The head of the publisher that lost, by which its next messages are recognised. */
  #remember(message: BlocksMessage): void {
    if (message.kind === 'block.applied') this.#lost.add(message.block.hash)
    if (message.kind === 'block.reverted') this.#lost.add(message.block.parentHash)
    const [oldest] = this.#lost
    if (this.#lost.size > lostBlocksMax && oldest !== undefined) this.#lost.delete(oldest)
  }

  #isOnLost(message: BlocksMessage): boolean {
    switch (message.kind) {
      case 'block.applied':
        return this.#lost.has(message.block.parentHash)
      case 'block.reverted':
        return this.#lost.has(message.block.hash)
      case 'state.observed':
        return this.#lost.has(message.hash)
      case 'gap.declared':
        return false
    }
  }
}
