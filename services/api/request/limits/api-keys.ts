import { type EventLog, OffsetLost } from '../../../../libs/ports/event-log.ts'
import { events } from '../../../../libs/signals/events.ts'
import type { Log } from '../../../../libs/signals/log.ts'
import { pause } from '../../../../libs/signals/pause.ts'
import { runbooks } from '../../../../libs/signals/runbooks.ts'
import { type ApiKey, apiKey, apiKeysMax, hashOfKey } from '../../../../libs/topics/api-keys.ts'
import { decodeMessage } from '../../../../libs/topics/codec.ts'

const topic = 'api-keys'
const readLimit = { messagesMax: 1_000, bytesMax: 1024 * 1024 }
const retryAfterMs = 1_000

/** A key that was presented and is valid. */
export interface KnownKey {
  /** Its hash: a name may get another key. */
  readonly id: string
  readonly limit: number
}

interface ApiKeysOptions {
  readonly eventLog: EventLog
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * The keys of topic `api-keys`, in memory: a request is checked without asking anyone. Keys that
 * were presented are looked up as they are, so that the hash is computed once.
 */
export class ApiKeys {
  private readonly options: ApiKeysOptions
  private offset = 0
  private readonly byName = new Map<string, string>()
  private readonly byHash = new Map<string, KnownKey>()
  private readonly presented = new Map<string, KnownKey>()

  constructor(options: ApiKeysOptions) {
    this.options = options
  }

  /** @returns undefined for one that is unknown or revoked */
  find(key: string): KnownKey | undefined {
    const known = this.presented.get(key)
    if (known !== undefined) return known
    const hash = hashOfKey(key)
    const found = hash === null ? undefined : this.byHash.get(hash)
    // Only valid keys, so no more than there are.
    if (found !== undefined) this.presented.set(key, found)
    return found
  }

  /** Reads all keys that there are now. @throws as the log does */
  async load(): Promise<void> {
    const { eventLog, log, signal } = this.options
    this.offset = await eventLog.begin(topic)
    const end = await eventLog.end(topic)
    while (!signal.aborted && this.offset < end) if ((await this.readMore()) === 0) break
    log.info({ event: events.api.keysFollowed, keys: this.byHash.size }, 'API keys are loaded')
  }

  /** Until the signal aborts. While the log is away, the keys known so far hold. */
  async follow(): Promise<void> {
    const { eventLog, log, signal } = this.options
    while (!signal.aborted) {
      try {
        await eventLog.waitBeyond(topic, this.offset, signal)
        if (signal.aborted) return
        if ((await this.readMore()) === 0) await pause(retryAfterMs, signal)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ event: events.api.failed, error }, `cannot consume topic ${topic}: retrying`)
        if (error instanceof OffsetLost) this.restart(error.range.begin)
        else await pause(retryAfterMs, signal)
      }
    }
  }

  /** @returns the number of messages read */
  private async readMore(): Promise<number> {
    const { eventLog } = this.options
    const messages = await eventLog.read(topic, this.offset, readLimit)
    for (const { offset, value } of messages) {
      this.offset = offset + 1
      this.applyMessage(offset, value)
    }
    return messages.length
  }

  /** The topic was recreated: its keys are all that count. */
  private restart(begin: number): void {
    this.offset = begin
    this.byName.clear()
    this.byHash.clear()
    this.presented.clear()
  }

  private applyMessage(offset: number, value: Uint8Array): void {
    const decoded = decodeMessage(apiKey, value)
    if ('message' in decoded && this.apply(decoded.message)) return
    const reason = 'invalid' in decoded ? decoded.invalid : `more than ${apiKeysMax} keys`
    this.options.log.warn(
      { event: events.api.unreadableKey, offset, runbook: runbooks.limits },
      `API key is not used: ${reason}`,
    )
  }

  /** @returns false beyond the maximum of keys */
  private apply({ name, hash, limit }: ApiKey): boolean {
    const before = this.byName.get(name)
    if (before === undefined && hash !== null && this.byName.size >= apiKeysMax) return false
    if (before !== undefined) this.byHash.delete(before)
    this.byName.delete(name)
    this.presented.clear()
    if (hash === null) return true
    this.byName.set(name, hash)
    this.byHash.set(hash, { id: hash, limit })
    return true
  }
}
