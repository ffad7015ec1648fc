import { once } from 'node:events'
import { expect } from 'vitest'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { MemoryVolume, memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import type { UriRequest, UriResult } from '../../../libs/ports/token-uris.ts'
import type { Web, WebResult } from '../../../libs/ports/web.ts'
import type { BlockFact } from '../../../libs/projections/testing/facts.ts'
import { logOf } from '../../../libs/projections/testing/log-of.ts'
import { decodeMessage, encodeMessage } from '../../../libs/topics/codec.ts'
import { type InstanceFact, instanceFact } from '../../../libs/topics/facts/instance-facts.ts'
import { until } from '../../../test/support/until.ts'
import { type Enricher, startEnricher } from '../enricher.ts'
import type { EnricherLimits } from '../limits.ts'

const gateways = { ipfsGateways: ['https://gateway.example/ipfs/'], arweaveGateway: 'https://ar/' }
const limits: Partial<EnricherLimits> = {
  publishAfterMs: 1,
  retryMs: 1,
  busyPauseMs: 1,
  contractSpacingMs: 0,
  fetchesPerContractMax: 16,
  refreshPauseMs: 0,
  pausesMs: [1, 60_000],
  contentPausesFrom: 1,
  ratePausesTo: 0,
  busyTakePauseMs: 1,
}

/** What contracts and servers are asked, and what they answer. */
export class EnricherWorld implements Web {
  readonly volume = new MemoryVolume()
  readonly topics = memoryEventLog()
  readonly asked: UriRequest[] = []
  readonly fetched: string[] = []
  answer: (request: UriRequest) => UriResult | Promise<UriResult> = ({ tokenId }) => ({
    kind: 'uri',
    text: `https://art.example/${tokenId}`,
  })
  page: (url: string) => WebResult | Promise<WebResult> = (url) => document({ name: url })
  log: EventLog = this.topics
  #blocks: BlockFact[] = []
  #enricher: Enricher | null = null

  async start(more: Partial<EnricherLimits> = {}): Promise<Enricher> {
    const enricher = await startEnricher({
      eventLog: this.log,
      state: memoryStateStore(this.volume),
      uris: {
        ask: async (requests) => {
          this.asked.push(...requests)
          return Promise.all(requests.map((request) => this.answer(request)))
        },
      },
      web: this,
      gateways,
      limits: { ...limits, ...more },
    })
    this.#enricher = enricher
    return enricher
  }

  async stop(): Promise<void> {
    await this.#enricher?.stop()
    this.#enricher = null
  }

  async fetch(url: string, signal: AbortSignal): Promise<WebResult> {
    this.fetched.push(url)
    signal.throwIfAborted()
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    return Promise.race([this.page(url), aborted])
  }

  async close(): Promise<void> {}

  async publish(...facts: BlockFact[]): Promise<void> {
    const before = logOf(this.#blocks).length
    this.#blocks = [...this.#blocks, ...facts]
    const messages = logOf(this.#blocks).slice(before)
    await this.topics.append(
      'blocks',
      messages.map((message) => ({ key: '1', value: encodeMessage(message) })),
    )
  }

  async facts(): Promise<readonly InstanceFact[]> {
    const all = { messagesMax: 1_000, bytesMax: 1e9 }
    const stored = await this.topics.read('instance-facts', 0, all)
    return stored.map(({ key, value }) => {
      const decoded = decodeMessage(instanceFact, value)
      if ('invalid' in decoded) throw new Error(decoded.invalid)
      expect(key).toBe(`${decoded.message.token}:${decoded.message.tokenId}`)
      return decoded.message
    })
  }

  async published(count: number): Promise<readonly InstanceFact[]> {
    await until(`${count} facts`, async () => (await this.facts()).length >= count)
    const facts = await this.facts()
    expect(facts).toHaveLength(count)
    return facts
  }
}

export const document = (content: unknown): WebResult => ({
  kind: 'fetched',
  bytes: Buffer.from(JSON.stringify(content)),
  mediaType: 'application/json',
  url: 'https://art.example/',
})
export const broken = (reason: 'unreachable' | 'private-address'): WebResult => ({
  kind: 'failed',
  reason,
  status: null,
  sentence: `no connection: ${reason}`,
})
