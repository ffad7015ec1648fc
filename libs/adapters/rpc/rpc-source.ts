import { LRUCache } from 'lru-cache'
import type { Block, Observation } from '../../chain/block.ts'
import type { Address, Hash } from '../../chain/hex.ts'
import { isUrl } from '../../chain/parsed-url.ts'
import {
  type ChainSource,
  type Code,
  type SourceBlock,
  SourceError,
  type StateRequest,
  type StateResult,
  type TokensResult,
} from '../../ports/chain-source.ts'
import type { TokenUris } from '../../ports/token-uris.ts'
import type { HeaderRules } from '../../settings/source-settings.ts'
import { type Log, silentLog } from '../../signals/log.ts'
import { redacted } from '../../signals/logger.ts'
import { BestEffortCalls } from './best-effort-calls.ts'
import { assembleBlock } from './blocks/assemble-block.ts'
import { BlocksWithReceipts } from './blocks/blocks-with-receipts.ts'
import { BlockInconsistent } from './blocks/check-block.ts'
import { countSchema, headerSchema, type RpcHeader } from './blocks/rpc-schemas.ts'
import { FailureReasons } from './failure-reasons.ts'
import { fetchTokens } from './fetch-tokens.ts'
import { urisOf } from './fetch-uris.ts'
import { HeadWatch } from './head-watch.ts'
import { fetchCodes, fetchCodesAt, HistoricalState } from './historical-state.ts'
import { PrunedState } from './node-capabilities.ts'
import { StateObserver } from './observe-state.ts'
import { httpTransport } from './transport/http-transport.ts'
import { RpcClient, type RpcSignals } from './transport/rpc-client.ts'
import { type RpcLimits, type RpcTransport, rpcLimits } from './transport/rpc-transport.ts'
import { wsTransport } from './transport/ws-transport.ts'

interface RpcSourceOptions {
  /** `http(s)://` or `ws(s)://`; user, password, path and query are never logged. */
  readonly url: string
  readonly log?: Log
  readonly metrics?: RpcSignals['metrics']
  readonly limits?: Partial<RpcLimits>
  /** How blocks are proved; by default by Ethereum's rules. */
  readonly headerRules?: HeaderRules
}

/** An Ethereum JSON-RPC node. @throws with one sentence if it does not answer at the start. */
export async function rpcSource(options: RpcSourceOptions): Promise<ChainSource> {
  const limits = { ...rpcLimits, ...options.limits }
  const transport = transportTo(options.url, limits)
  const { log = silentLog, metrics, headerRules } = options
  return sourceOver(transport, limits, { log, metrics, headerRules }).catch((cause: unknown) => {
    transport.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const sentence = `no answer from the node at ${redacted(options.url)}: ${reason}`
    // A service waits for a node that is unavailable, and fails if the node rejects it.
    throw cause instanceof SourceError
      ? new SourceError(cause.kind, sentence)
      : new Error(sentence, { cause })
  })
}

interface SourceSignals extends RpcSignals {
  /** By default Ethereum's. */
  readonly headerRules?: HeaderRules | undefined
}

/** A wrong address must be reported soon after the start. */
const startRetriesMax = 2

/** The same over any transport: tests bring a node of values. */
export async function sourceOver(
  transport: RpcTransport,
  limits: RpcLimits,
  signals: SourceSignals,
): Promise<ChainSource> {
  const retriesMax = Math.min(limits.retriesMax, startRetriesMax)
  const first = new RpcClient(transport, { ...limits, retriesMax }, signals)
  const chainId = await first.call(countSchema, 'eth_chainId', [])
  const client = new RpcClient(transport, limits, signals)
  const watch = new HeadWatch(client, limits, signals.log)
  return new RpcSource(client, chainId, { watch, rules: signals.headerRules ?? 'ethereum' })
}

/** @throws with one sentence for a URL that no node has */
export function transportTo(text: string, limits: RpcLimits): RpcTransport {
  if (!isUrl(text)) throw new Error(`not a URL: ${redacted(text)}`)
  const url = new URL(text)
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return httpTransport(url)
    case 'ws:':
    case 'wss:':
      return wsTransport({
        url,
        connectTimeoutMs: limits.requestTimeoutMs,
        messageBytesMax: limits.responseBytesMax,
      })
    default:
      throw new Error(`a node is reached by http, https, ws or wss, not by ${url.protocol}`)
  }
}

type Stamp = Pick<RpcHeader, 'hash' | 'timestamp'>

/** No more of a block than that: hundreds of whole ones would be as many megabytes. */
const stampOf = (block: Stamp | null): Stamp | null =>
  block && { hash: block.hash, timestamp: block.timestamp }

/** Blocks asked for lately, whose children ask for their time. */
const stampsMax = 512

interface RpcSourceParts {
  readonly watch: HeadWatch
  readonly rules: HeaderRules
}

class RpcSource implements ChainSource {
  readonly endsAtHead = false
  readonly hasState = true
  readonly tokenUris: TokenUris
  readonly chainId: number
  readonly #client: RpcClient
  readonly #watch: HeadWatch
  readonly #blocks: BlocksWithReceipts
  readonly #reasons: FailureReasons
  readonly #rules: HeaderRules
  readonly #calls: BestEffortCalls
  readonly #state: HistoricalState
  readonly #observer: StateObserver
  readonly #sweeper: StateObserver
  readonly #stamps = new LRUCache<number, Promise<Stamp | null>>({ max: stampsMax })
  #headNumber = -1
  #headSeen: Hash | null = null

  constructor(client: RpcClient, chainId: number, { watch, rules }: RpcSourceParts) {
    this.chainId = chainId
    this.#client = client
    this.#watch = watch
    this.#blocks = new BlocksWithReceipts(client)
    this.#rules = rules
    this.#calls = new BestEffortCalls(client)
    this.#reasons = new FailureReasons(client, this.#calls)
    const horizon = new PrunedState(client.signals.log)
    this.#state = new HistoricalState(client, this.#calls, horizon)
    const asking = { client, calls: this.#calls, state: this.#state, horizon }
    this.#observer = new StateObserver({ ...asking, chain: this })
    const slow = new BestEffortCalls(client, { slotsMax: 1 })
    this.#sweeper = new StateObserver({ ...asking, calls: slow, chain: this })
    this.tokenUris = urisOf(client, this.#state)
  }

  async head(): Promise<number> {
    return (await this.#latest()).number
  }

  async block(number: number): Promise<SourceBlock | null> {
    const parent = this.#stamps.get(number - 1)
    const asked = this.#assembled(number)
    this.#stamps.set(
      number,
      asked.then(stampOf, () => null),
    )
    const [block, stamp] = await Promise.all([asked, parent])
    if (!block) return null
    return { ...block, parentTimestamp: await this.#timestampOf(block, stamp) }
  }

  async hash(number: number): Promise<Hash | null> {
    return (await this.#header(`0x${number.toString(16)}`))?.hash ?? null
  }

  async nextNumber(number: number): Promise<number | null> {
    if (number > this.#headNumber) await this.#latest()
    return number <= this.#headNumber ? number : null
  }

  async observed(): Promise<Observation | null> {
    return null
  }

  tokens(addresses: readonly Address[], block: number): Promise<TokensResult> {
    const parts = { state: this.#state, calls: this.#calls, limits: this.#client.limits }
    return fetchTokens(parts, addresses, block)
  }

  codes(
    addresses: readonly Address[],
    block: number,
    { isExact }: { readonly isExact: boolean } = { isExact: false },
  ): Promise<ReadonlyMap<Address, Code>> {
    return (isExact ? fetchCodesAt : fetchCodes)(this.#state, addresses, block)
  }

  observe(question: StateRequest, urgency?: 'background'): Promise<StateResult | null> {
    return (urgency === undefined ? this.#observer : this.#sweeper).observe(question)
  }

  async waitAbove(number: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const latest = await this.#latest()
      const isNews = latest.hash !== this.#headSeen
      this.#headSeen = latest.hash
      if (latest.number > number || isNews) return
      await this.#watch.tick(signal)
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #assembled(number: number): Promise<SourceBlock | null> {
    try {
      const block = await this.#blocks.fetch(number, ({ block, receipts }) =>
        assembleBlock(block, receipts, { rules: this.#rules }),
      )
      if (block === null) return null
      if (block.number !== number) {
        const name = { number, hash: block.hash }
        throw new BlockInconsistent(name, 'number', `is ${block.number}`)
      }
      return await this.#reasons.attach(block)
    } catch (cause) {
      if (cause instanceof SourceError) throw cause
      // Any failure here is caused by the response of the node, and the next response may be
      // better.
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (cause instanceof BlockInconsistent) {
        throw new SourceError('wrong-answer', reason, cause.key)
      }
      const sentence = `block ${number}: ${reason}`
      throw new SourceError('wrong-answer', sentence, sentence)
    }
  }

  /** Blocks are asked for in a row: the parent is mostly known, or under way. */
  async #timestampOf(block: Block, known: Stamp | null | undefined): Promise<number | null> {
    if (block.number === 0) return null
    if (known?.hash === block.parentHash) return known.timestamp
    const header = await this.#header(`0x${(block.number - 1).toString(16)}`)
    return header?.hash === block.parentHash ? header.timestamp : null
  }

  async #latest(): Promise<RpcHeader> {
    const header = await this.#header('latest')
    if (!header) throw new SourceError('half-answer', 'the node has no newest block')
    this.#headNumber = header.number
    return header
  }

  #header(tag: string): Promise<RpcHeader | null> {
    return this.#client.call(headerSchema.nullable(), 'eth_getBlockByNumber', [tag, false])
  }
}
