import type { Block } from '../../libs/chain/block.ts'
import { SourceError } from '../../libs/ports/chain-source.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'

interface PatienceLimits {
  readonly stateTriesMax: number
}

/**
 * Bounds the attempts to query state for a run of blocks: contracts may make a node fail every
 * time, and must not delay the blocks for ever.
 */
export class StateRetries {
  readonly #limits: PatienceLimits
  readonly #signals: Log
  #first: string | undefined
  #tries = 0

  constructor(limits: PatienceLimits, signals: Log) {
    this.#limits = limits
    this.#signals = signals
  }

  /** The result, or null after the last attempt. @throws SourceError on earlier failures */
  async ask<T>(blocks: readonly Block[], question: () => Promise<T>): Promise<T | null> {
    const [first] = blocks
    if (first?.hash !== this.#first) this.#tries = 0
    this.#first = first?.hash
    try {
      return await question()
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause
      this.#tries++
      if (this.#tries < this.#limits.stateTriesMax) throw cause
      const [event, runbook] = [events.ingestor.publishedWithoutState, runbooks.unanswered]
      const fields = { event, block: first?.number, count: blocks.length, runbook }
      const sentence = `published without querying contracts, ${this.#tries} tries have failed`
      this.#signals.warn(fields, `${sentence}: ${cause.message}`)
      return null
    }
  }
}
