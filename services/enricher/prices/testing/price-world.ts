import { once } from 'node:events'
import type { Address } from '../../../../libs/chain/hex.ts'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { MemoryTopics, memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import type { Web, WebResult } from '../../../../libs/ports/web.ts'
import {
  alice,
  type BlockFact,
  bob,
  contract,
  transferred,
} from '../../../../libs/projections/testing/facts.ts'
import { logOf } from '../../../../libs/projections/testing/log-of.ts'
import { type LogFields, silentLog } from '../../../../libs/signals/log.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import { until } from '../../../../test/support/until.ts'
import type { PriceSource } from '../price-source.ts'
import { type Pricing, startPricing } from '../pricing.ts'

export const token = (number: number): Address => contract(number)

/** Asks as fast as it can. */
const fast = { everySeconds: 0.001, requestsPerMinute: 1e9, jumpFactor: 2 }
const limits = { retryMs: 1, retryMaxMs: 4, idleMs: 1, unpricedEveryMs: 20 }

export const sourceOfAll: PriceSource = {
  ...fast,
  coin: { url: 'https://prices.example/coin', price: ['usd'] },
  tokens: {
    ...{ url: 'https://prices.example/tokens/{addresses}', addressesMax: 2 },
    ...{ addressForm: '{address}', price: ['{address}', 'usd'], icon: ['{address}', 'image'] },
  },
}

export const page = (text: string): WebResult => ({
  ...{ kind: 'fetched', bytes: Buffer.from(text), mediaType: null },
  url: 'https://prices.example/',
})
export const json = (content: unknown): WebResult => page(JSON.stringify(content))

/** A service of prices, and what is published of its answers. */
export class PriceWorld implements Web {
  readonly asked: string[] = []
  readonly lines: { fields: LogFields; sentence: string | undefined }[] = []
  readonly #topics = new MemoryTopics()
  log: EventLog = memoryEventLog(this.#topics)
  /** By the path of the URL. */
  page: (path: string) => WebResult | Promise<WebResult> = () => json({})
  #pricing: Pricing | null = null

  start(source: PriceSource = sourceOfAll): Pricing {
    const note = (fields: LogFields, sentence?: string) =>
      void this.lines.push({ fields, sentence })
    this.#pricing = startPricing({
      ...{ source, chainId: 1, eventLog: this.log, web: this, limits },
      log: { ...silentLog, warn: note },
    })
    return this.#pricing
  }

  async stop(): Promise<void> {
    await this.#pricing?.stop()
    this.#pricing = null
  }

  async fetch(url: string, signal: AbortSignal): Promise<WebResult> {
    this.asked.push(url)
    signal.throwIfAborted()
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    return Promise.race([Promise.resolve(this.page(new URL(url).pathname)), aborted])
  }

  async close(): Promise<void> {}

  /** Tokens move, one after the other. */
  async move(...tokens: readonly Address[]): Promise<void> {
    const facts: BlockFact[] = tokens.map((one) => transferred(one, [alice, bob], 0n))
    const value = logOf(facts).map((message) => ({ key: '1', value: encodeMessage(message) }))
    await this.log.append('blocks', value)
  }

  async publish(topic: string, fact: object): Promise<void> {
    await this.log.append(topic, [{ key: '1', value: encodeMessage(fact) }])
  }

  async facts(topic: string): Promise<readonly Record<string, unknown>[]> {
    const stored = await this.log.read(topic, 0, { messagesMax: 1_000, bytesMax: 1e9 })
    return stored.map(({ value }) => JSON.parse(Buffer.from(value).toString('utf8')))
  }

  async published(topic: string, count: number): Promise<readonly Record<string, unknown>[]> {
    await until(`${count} facts`, async () => (await this.facts(topic)).length >= count)
    return this.facts(topic)
  }

  /** So many questions more have an answer. */
  async answered(count: number): Promise<void> {
    const before = this.asked.length
    await until(`${count} questions`, () => this.asked.length > before + count)
  }
}
