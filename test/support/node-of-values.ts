import {
  matchResponses,
  type RpcCall,
  type RpcResponse,
  type RpcTransport,
  type SendOptions,
} from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import type { BlockFile } from './mainnet-block.ts'

/** What a node of values answers: JSON-RPC as it would come over the wire. */
export type Body = unknown

/** Looks at a batch before the node does: answers it itself, throws, or leaves it (undefined). */
export type Spoil = (calls: readonly RpcCall[], ids: readonly number[]) => Body | undefined

/** A node without process and socket, over blocks of files; it can be made to misbehave. */
export class NodeOfValues implements RpcTransport {
  readonly files: Map<number, BlockFile>
  /** One after the other, each for one request; then the node behaves. */
  readonly spoils: Spoil[] = []
  /** For every request. */
  always: Spoil = () => undefined
  /** Before each request is answered. */
  delay: (options: Partial<SendOptions>, calls: readonly RpcCall[]) => Promise<void> =
    async () => {}
  /** Number that it returns for the tag `finalized`; null if it has no such block. */
  finalized: number | null = null
  /** Method names of each request, in order. */
  readonly asked: string[][] = []
  #lastId = 0

  constructor(files: readonly (readonly [number, BlockFile])[]) {
    this.files = new Map(files)
  }

  async send(
    calls: readonly RpcCall[],
    options: Partial<SendOptions> = {},
  ): Promise<readonly RpcResponse[]> {
    this.asked.push(calls.map(({ method }) => method))
    await this.delay(options, calls)
    const ids = calls.map(() => ++this.#lastId)
    const spoilt = this.spoils.shift()?.(calls, ids) ?? this.always(calls, ids)
    return matchResponses(ids, spoilt ?? this.answers(calls, ids))
  }

  answers(calls: readonly RpcCall[], ids: readonly number[]): object[] {
    return calls.map((call, at) => ({ id: ids[at], ...this.#answer(call) }))
  }

  close(): void {}

  #answer({ method, params }: RpcCall): RpcResponse {
    switch (method) {
      case 'eth_chainId':
        return { result: '0x1' }
      case 'eth_blockNumber':
        return { result: `0x${this.#head.toString(16)}` }
      case 'eth_getBlockByNumber':
        return { result: params[0] === 'finalized' ? this.#final : this.#block(params[0]) }
      case 'eth_getBlockReceipts':
        return { result: this.#file(params[0])?.receipts ?? null }
      case 'eth_getTransactionReceipt':
        return { result: this.#receipt(params[0]) }
      case 'eth_call':
      case 'eth_getCode':
        return { result: '0x' }
      case 'eth_getBalance':
        return { result: '0x0' }
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist` } }
    }
  }

  get #head(): number {
    return Math.max(...this.files.keys())
  }

  get #final(): unknown {
    return this.finalized === null ? null : { number: `0x${this.finalized.toString(16)}` }
  }

  #block(tag: unknown): unknown {
    return this.#file(tag)?.block ?? null
  }

  #file(tag: unknown): BlockFile | undefined {
    return this.files.get(tag === 'latest' ? this.#head : Number(tag))
  }

  #receipt(hash: unknown): unknown {
    for (const { receipts } of this.files.values()) {
      const found = receipts.find((receipt) => receipt.transactionHash === hash)
      if (found) return found
    }
    return null
  }
}

/** Answers one method with an error, and the rest as the node would. */
export const lacking =
  (node: NodeOfValues, method: string, error: { code: number; message: string }): Spoil =>
  (calls, ids) =>
    node
      .answers(calls, ids)
      .map((answer, at) => (calls[at]?.method === method ? { id: ids[at], error } : answer))
