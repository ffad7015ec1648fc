import { events } from '../../signals/events.ts'
import { linkedAbort } from '../../signals/linked-abort.ts'
import type { Log } from '../../signals/log.ts'
import { pause } from '../../signals/pause.ts'
import type { RpcClient } from './transport/rpc-client.ts'
import { RpcError, type RpcLimits } from './transport/rpc-transport.ts'

/** Wakes callers that wait for a head: by subscription if the node has one, else by polling. */
export class HeadWatch {
  readonly #client: RpcClient
  readonly #limits: RpcLimits
  readonly #log: Log
  /** A subscription dies with its connection. */
  #subscription: 'none' | 'lives' | 'absent' = 'none'
  #hasNewHead = false
  #wasLost = false
  #wake: () => void = () => {}

  constructor(client: RpcClient, limits: RpcLimits, log: Log) {
    this.#client = client
    this.#limits = limits
    this.#log = log
    if (!client.hasSubscriptions) this.#subscription = 'absent'
  }

  /** Resolves when it is time to look at the head again, or on abort. */
  async tick(signal: AbortSignal): Promise<void> {
    const { pollIntervalMs, subscribedPollIntervalMs, headIntervalMinMs } = this.#limits
    if (this.#wasLost) {
      // A node that ends each connection is polled, not connected to as fast as it goes.
      this.#wasLost = false
      await pause(pollIntervalMs, signal)
    }
    if (this.#subscription === 'none') await this.#subscribe()
    // A head that was announced between two waits must not wait for the next announcement.
    if (!this.#hasNewHead) {
      const lives = this.#subscription === 'lives'
      const waiting = linkedAbort(signal)
      this.#wake = waiting.end
      await pause(lives ? subscribedPollIntervalMs : pollIntervalMs, waiting.signal)
      waiting.end()
    }
    this.#hasNewHead = false
    // However often heads are announced.
    await pause(headIntervalMinMs, signal)
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#client.subscribeHeads((isLost) => this.#onHead(isLost))
      this.#subscription = 'lives'
      this.#log.info({ event: events.node.subscribed }, 'the node announces its heads')
    } catch (cause) {
      // Connection errors are transient: polling detects the head, and the next tick retries.
      if (!(cause instanceof RpcError)) return
      this.#subscription = 'absent'
      const fields = { event: events.node.unsupported, method: 'eth_subscribe' }
      this.#log.warn(fields, `the head is polled, because the node returned: ${cause.message}`)
    }
  }

  #onHead(isLost: boolean): void {
    if (isLost) {
      if (this.#subscription !== 'lives') return
      this.#subscription = 'none'
      this.#wasLost = true
      const fields = { event: events.node.subscriptionLost }
      this.#log.warn(fields, 'the connection that announced heads was lost')
    } else this.#hasNewHead = true
    this.#wake()
  }
}
