import { z } from 'zod'
import { SourceError } from '../../ports/chain-source.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { NodeCapability } from './node-capabilities.ts'
import type { NodeCall, RpcClient } from './rpc-client.ts'
import { RpcError, type RpcResponse } from './rpc-transport.ts'

const hashesForm = z.object({ transactions: z.array(z.object({ hash: z.string() })) })

/** A block and its receipts as the node returned them, neither validated yet. */
interface RawBlock {
  readonly block: unknown
  readonly receipts: unknown
}

/** Asks for blocks with receipts: in one batch if the node can, else receipt by receipt. */
export class BlocksWithReceipts {
  readonly #client: RpcClient
  readonly #log: Log
  readonly #wholeBlocks = new NodeCapability()

  constructor(client: RpcClient, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** Null if the node has no such block. @throws SourceError */
  async fetch(number: number): Promise<RawBlock | null> {
    const quantity = `0x${number.toString(16)}`
    const blockCall: NodeCall = { method: 'eth_getBlockByNumber', params: [quantity, true] }
    const receiptsCall: NodeCall = { method: 'eth_getBlockReceipts', params: [quantity] }
    const isWhole = this.#wholeBlocks.isWorthTrying()
    const calls = isWhole ? [blockCall, receiptsCall] : [blockCall]
    const [blockAnswer, receiptsAnswer] = await this.#client.ask(calls)
    const block = resultOf(blockAnswer, blockCall)
    if (block === null) return null
    if (receiptsAnswer && 'result' in receiptsAnswer) {
      if (receiptsAnswer.result === null) throw missing(number, 'receipts')
      this.#wholeBlocks.answered()
      return { block, receipts: receiptsAnswer.result }
    }
    if (isWhole) this.#noteRefusal(number)
    return { block, receipts: await this.#oneByOne(block, number) }
  }

  async #oneByOne(block: unknown, number: number): Promise<readonly unknown[]> {
    const read = hashesForm.safeParse(block)
    if (!read.success) throw missing(number, 'transactions in full')
    const method = 'eth_getTransactionReceipt'
    const calls = read.data.transactions.map(({ hash }) => ({ method, params: [hash] }) as const)
    const answers = await this.#client.ask(calls)
    return answers.map((answer, at) => {
      const receipt = resultOf(answer, { method })
      if (receipt === null) throw missing(number, `the receipt of transaction ${at}`)
      return receipt
    })
  }

  /** Whatever the reason: what counts is whether they come one by one. */
  #noteRefusal(number: number): void {
    if (!this.#wholeBlocks.refused(number)) return
    const fields = { event: events.node.unsupported, method: 'eth_getBlockReceipts' }
    this.#log.warn(fields, 'the node has no eth_getBlockReceipts: receipts are fetched one by one')
  }
}

const missing = (number: number, what: string) =>
  new SourceError('half-answer', `block ${number} came without ${what}`)

/** An error about a block is retried: the node is behind, pruned or inconsistent. */
function resultOf(answer: RpcResponse | undefined, call: Pick<NodeCall, 'method'>): unknown {
  if (!answer) throw new SourceError('half-answer', `no answer to ${call.method}`)
  if ('result' in answer) return answer.result
  throw new SourceError('wrong-answer', new RpcError(call.method, answer.error).message)
}
