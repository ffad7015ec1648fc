import { pauses } from '../../libs/chain/pauses.ts'
import { type EventLog, LogUnavailable, OffsetLost } from '../../libs/ports/event-log.ts'
import { atMostEvery, warnEveryMs } from '../../libs/signals/at-most-every.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { pause } from '../../libs/signals/pause.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { type Decoded, decodeMessage } from '../../libs/topics/codec.ts'
import { instanceFact } from '../../libs/topics/facts/instance-facts.ts'
import { factsTopic } from './fetch-loop.ts'
import type { EnricherLimits } from './limits.ts'
import type { NftQueue } from './nft-queue.ts'
import type { NftRecord } from './nft-record.ts'
import { BlockMessages } from './reading/block-messages.ts'
import { storedFacts } from './reading/stored-facts.ts'
import { type NftKey, type SeenNft, seenNfts } from './seen-nfts.ts'

const topic = 'blocks'
/** Collected before they are written. */
const seenMax = 5_000

interface FollowParts {
  readonly queue: NftQueue
  readonly eventLog: EventLog
  readonly log: Log
  readonly limits: EnricherLimits
}

/**
 * Reads topic `blocks`, and notes the NFTs that it names. Of a message that readers of the chain
 * skip, too: an NFT that is not there costs one call of its contract.
 */
export class BlockFollower {
  readonly #parts: FollowParts
  readonly #signal: AbortSignal
  readonly #messages: BlockMessages
  readonly #isWarningDue = atMostEvery(warnEveryMs)
  #seen: SeenNft[] = []
  #savedAt = 0

  constructor(parts: FollowParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#messages = new BlockMessages(parts.eventLog)
  }

  /** Until the signal aborts. @throws BrokenFile, Fenced: no use in another attempt */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#follow()
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        const level = this.#isWarningDue() ? 'warn' : 'debug'
        const fields = { event: events.enricher.retried, runbook: runbooks.metadata }
        this.#parts.log[level](fields, `topic ${topic} was not read: ${error.message}`)
        await pause(this.#parts.limits.retryMs, this.#signal)
      }
    }
  }

  async #follow(): Promise<void> {
    const { queue, eventLog } = this.#parts
    if (queue.offset === null) await this.#restore()
    let offset = queue.offset ?? (await eventLog.begin(topic))
    this.#seen = []
    while (!this.#signal.aborted) offset = await this.#read(offset)
  }

  /** @returns where reading continues */
  async #read(offset: number): Promise<number> {
    const { eventLog, limits, log } = this.#parts
    try {
      const limit = { messagesMax: limits.readMessagesMax, bytesMax: limits.readBytesMax }
      const stored = await eventLog.read(topic, offset, limit)
      if (stored.length === 0) {
        await eventLog.waitBeyond(topic, offset, this.#signal)
        return offset
      }
      const isLive = (await eventLog.end(topic)) - offset <= limits.liveMessagesMax
      let next = offset
      for (const { offset: at, value } of stored) {
        if (this.#signal.aborted) break
        await this.#collect(await this.#messages.decoded({ offset: at, value }), isLive)
        next = at + 1
      }
      await this.#write(next, isLive)
      return next
    } catch (error) {
      if (!(error instanceof OffsetLost)) throw error
      // Another log: what it names is mostly known, and the rest is read from its beginning.
      const fields = { event: events.enricher.retried, runbook: runbooks.metadata }
      log.warn(fields, `${error.message}: read from its beginning`)
      return error.range.begin
    }
  }

  async #collect(decoded: Decoded<BlocksMessage> | null, isLive: boolean): Promise<void> {
    if (decoded === null || 'invalid' in decoded || decoded.message.kind !== 'block.applied') return
    const breathe = pauses()
    for (const one of seenNfts(decoded.message.block)) {
      await breathe()
      if (one !== null) this.#seen.push(one)
      if (this.#seen.length >= seenMax) await this.#writeSeen(null, isLive)
    }
  }

  /** Where blocks name nothing, the place need not be stored each time. */
  async #write(next: number, isLive: boolean): Promise<void> {
    const isDue = performance.now() - this.#savedAt >= this.#parts.limits.saveEveryMs
    if (this.#seen.length === 0 && !isDue) return
    this.#savedAt = performance.now()
    // A message whose parts are not all there is read again after a restart.
    await this.#writeSeen(this.#messages.isClean ? next : null, isLive)
  }

  async #writeSeen(offset: number | null, isLive: boolean): Promise<void> {
    const seen = this.#seen
    this.#seen = []
    await this.#parts.queue.note(seen, { offset, now: Date.now(), isLive })
  }

  /**
   * A new volume begins with what was published, which is not fetched again. What failed is, once a
   * block names it.
   */
  async #restore(): Promise<void> {
    const { queue, eventLog } = this.#parts
    for await (const values of storedFacts(eventLog, factsTopic, this.#signal)) {
      await queue.restore(values.flatMap(knownIn))
    }
  }
}

function knownIn(value: Uint8Array): readonly (NftKey & NftRecord)[] {
  const decoded = decodeMessage(instanceFact, value)
  if ('invalid' in decoded || decoded.message.failure !== null) return []
  const { token, tokenId, time } = decoded.message
  const record = { function: 'tokenURI', isFilled: true, failures: 0, dueAt: null } as const
  return [{ token, tokenId, ...record, triedAt: time * 1_000 }]
}
