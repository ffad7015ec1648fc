import type { z } from 'zod'
import type { Address, Hash, Hex } from '../../chain/hex.ts'
import { SourceError } from '../../ports/chain-source.ts'
import type { Log } from '../../signals/log.ts'
import { redacted } from '../../signals/logger.ts'
import { BestEffortCalls } from './best-effort-calls.ts'
import { BlocksWithReceipts } from './blocks/blocks-with-receipts.ts'
import { ReceiptsInconsistent } from './blocks/check-block.ts'
import {
  blockSchema,
  bytesSchema,
  countSchema,
  headerSchema,
  type RpcBlock,
  type RpcHeader,
  type RpcReceipt,
  receiptsSchema,
} from './blocks/rpc-schemas.ts'
import { HistoricalState, isContractResult } from './historical-state.ts'
import { PrunedState } from './node-capabilities.ts'
import { transportTo } from './rpc-source.ts'
import { pacedTransport } from './transport/paced-transport.ts'
import { RpcClient } from './transport/rpc-client.ts'
import { type RpcLimits, type RpcTransport, rpcLimits } from './transport/rpc-transport.ts'

/** A block as the node returned it: nothing is derived of it. */
export interface NodeBlock {
  readonly block: RpcBlock
  /** In the order of its transactions. */
  readonly receipts: readonly RpcReceipt[]
}

/** A call of a contract, in the state after a block. */
export interface ContractCall {
  readonly to: Address
  readonly data: Hex
}

/**
 * What a contract returned; `reverted` where its execution failed; `unanswered` where nothing came
 * that only the contract can have said.
 */
export type ContractAnswer = { readonly returned: Hex } | 'reverted' | 'unanswered'

/** A node as a witness: what it says of one very block, to hold against what is indexed. */
export interface NodeReader {
  readonly chainId: number
  /** Number of its newest block. @throws SourceError */
  head(): Promise<number>
  /** Null if it has no such block. @throws SourceError */
  header(number: number): Promise<RpcHeader | null>
  /** Null if it has no such block. @throws SourceError */
  block(number: number): Promise<NodeBlock | null>
  /**
   * One answer for each call, in the state after that very block. Null if the node does not have
   * that state, or its block of that number is another one. @throws SourceError
   */
  answers(
    at: Pick<RpcHeader, 'number' | 'hash'>,
    calls: readonly ContractCall[],
  ): Promise<readonly ContractAnswer[] | null>
  close(): void
}

interface NodeReaderOptions {
  /** `http(s)://` or `ws(s)://`; user, password, path and query are never logged. */
  readonly url: string
  readonly log: Log
  readonly limits: Pick<RpcLimits, 'batchCallsMax' | 'requestsMax' | 'callGas'>
  /** Calls each second, those in batches among them. */
  readonly callsPerSecondMax: number
}

/** Of the calls about one page, besides the time that they wait for their turn. */
const callsMs = 120_000
/** Calls about pages that are looked at beside each other. */
const callsTogetherMax = 1_000

/** @throws SourceError with one sentence if the node does not answer */
export async function nodeReader(options: NodeReaderOptions): Promise<NodeReader> {
  const { url, log, callsPerSecondMax } = options
  const callsTotalMs = callsMs + Math.ceil((callsTogetherMax * 1_000) / callsPerSecondMax)
  const limits = { ...rpcLimits, retriesMax: 2, ...options.limits, callsTotalMs }
  const transport = pacedTransport(transportTo(url, limits), callsPerSecondMax)
  return readerOver(transport, limits, log).catch((cause: unknown) => {
    transport.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const sentence = `no answer from the node at ${redacted(url)}: ${reason}`
    throw cause instanceof SourceError
      ? new SourceError(cause.kind, sentence)
      : new Error(sentence, { cause })
  })
}

/** The same over any transport: tests bring a node of values. */
export async function readerOver(
  transport: RpcTransport,
  limits: RpcLimits,
  log: Log,
): Promise<NodeReader> {
  const client = new RpcClient(transport, limits, { log })
  return new RpcNodeReader(client, await client.call(countSchema, 'eth_chainId', []))
}

/** As the second parameter of `eth_call`. */
type At = string | { readonly blockHash: Hash }

class RpcNodeReader implements NodeReader {
  readonly chainId: number
  readonly #client: RpcClient
  readonly #blocks: BlocksWithReceipts
  readonly #calls: BestEffortCalls
  readonly #state: HistoricalState
  /** Null until it was tried. */
  #takesHashes: boolean | null = null

  constructor(client: RpcClient, chainId: number) {
    this.chainId = chainId
    this.#client = client
    this.#blocks = new BlocksWithReceipts(client)
    this.#calls = new BestEffortCalls(client)
    this.#state = new HistoricalState(client, this.#calls, new PrunedState(client.signals.log))
  }

  head(): Promise<number> {
    return this.#client.call(countSchema, 'eth_blockNumber', [])
  }

  header(number: number): Promise<RpcHeader | null> {
    const params = [tagOf(number), false]
    return this.#client.call(headerSchema.nullable(), 'eth_getBlockByNumber', params)
  }

  async block(number: number): Promise<NodeBlock | null> {
    const read = this.#blocks.fetch(number, async (raw) => {
      const block = parsed(blockSchema, raw.block, `block ${number}`)
      const receipts = parsed(receiptsSchema, raw.receipts, `receipts of block ${number}`)
      const isWhole =
        receipts.length === block.transactions.length &&
        block.transactions.every(({ hash }, at) => receipts[at]?.transactionHash === hash)
      if (!isWhole) {
        const name = { number, hash: block.hash }
        throw new ReceiptsInconsistent(name, 'receipts', 'are not those of its transactions')
      }
      return { block, receipts }
    })
    return read.catch((cause: unknown) => {
      if (!(cause instanceof ReceiptsInconsistent)) throw cause
      throw new SourceError('wrong-answer', cause.message, cause.key)
    })
  }

  async answers(
    { number, hash }: Pick<RpcHeader, 'number' | 'hash'>,
    calls: readonly ContractCall[],
  ): Promise<readonly ContractAnswer[] | null> {
    if (calls.length === 0) return []
    this.#takesHashes ??= await this.#state.hasStateAt({ blockHash: hash })
    if (this.#takesHashes) return this.#asked(calls, { blockHash: hash })
    const isSame = async () => (await this.header(number))?.hash === hash
    if (!(await isSame())) return null
    const answers = await this.#asked(calls, tagOf(number))
    return (await isSame()) ? answers : null
  }

  close(): void {
    this.#client.close()
  }

  async #asked(calls: readonly ContractCall[], at: At): Promise<readonly ContractAnswer[] | null> {
    const { batchCallsMax, callTimeoutMs, callsTotalMs, ...bounds } = this.#client.limits
    const { callResponseBytesMax, callGas } = bounds
    const gas = `0x${callGas.toString(16)}`
    const groups = groupsOf(calls, batchCallsMax)
    const results = await this.#calls.withDeadline(callsTotalMs, (signal) =>
      this.#calls.ask(
        groups.map((group) =>
          group.map((place) => ({
            method: 'eth_call',
            params: [{ to: calls[place]?.to, data: calls[place]?.data, gas }, at],
          })),
        ),
        {
          kind: 'balance',
          isFinal: isContractResult,
          isNodeHealthy: () => this.#state.hasStateAt(at),
          batchCallsMax,
          timeoutMs: callTimeoutMs,
          responseBytesMax: callResponseBytesMax,
          signal,
        },
      ),
    )
    if (results === null) return null
    if (results.some(({ end }) => end === 'cut-off')) {
      throw new SourceError('timed-out', `not all calls were answered within ${callsTotalMs} ms`)
    }
    const answers = calls.map((): ContractAnswer => 'unanswered')
    for (const [index, group] of groups.entries()) {
      for (const [at, place] of group.entries()) {
        const answer = results[index]?.answers[at] ?? null
        if (answer === null) continue
        const bytes = bytesSchema.safeParse('result' in answer ? answer.result : null)
        answers[place] = bytes.success ? { returned: bytes.data } : 'reverted'
      }
    }
    return answers
  }
}

/** Places of the calls of each contract, no more in a group than a batch may have. */
function groupsOf(calls: readonly ContractCall[], callsMax: number): readonly number[][] {
  const groups: number[][] = []
  const latest = new Map<Address, number[]>()
  for (const [place, { to }] of calls.entries()) {
    const group = latest.get(to)
    if (group !== undefined && group.length < callsMax) group.push(place)
    else {
      const next = [place]
      latest.set(to, next)
      groups.push(next)
    }
  }
  return groups
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'malformed' }
  throw new SourceError('wrong-answer', `${what}: ${path.join('.')}: ${message}`)
}

const tagOf = (number: number): string => `0x${number.toString(16)}`
