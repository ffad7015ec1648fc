import { z } from 'zod'
import { SourceError } from '../../../ports/chain-source.ts'
import { events } from '../../../signals/events.ts'
import { NodeCapability } from '../node-capabilities.ts'
import type { NodeCall, RpcClient } from '../transport/rpc-client.ts'
import { RpcError, type RpcResponse } from '../transport/rpc-transport.ts'
import { ReceiptsInconsistent } from './check-block.ts'

const hashesForm = z.object({ transactions: z.array(z.object({ hash: z.string() })) })

/** A block and its receipts as the node returned them, neither validated yet. */
interface RawBlock {
  readonly block: unknown
  readonly receipts: unknown
}

/** Validates a block. @throws ReceiptsInconsistent if other receipts might be valid */
type Assemble<B> = (raw: RawBlock) => Promise<B>

/**
 * Asks for blocks with receipts: in one batch if the node can, else receipt by receipt; so, too,
 * where the receipts of the batch contradict the block.
 */
export class BlocksWithReceipts {
  readonly #client: RpcClient
  readonly #wholeBlocks = new NodeCapability()

  constructor(client: RpcClient) {
    this.#client = client
    client.signals.metrics?.nodeWrongAnswers.inc({ method: receiptsMethod }, 0)
  }

  /** Null if the node has no such block. @throws SourceError, and what `assemble` throws */
  async fetch<B>(number: number, assemble: Assemble<B>): Promise<B | null> {
    const quantity = `0x${number.toString(16)}`
    const blockCall: NodeCall = { method: 'eth_getBlockByNumber', params: [quantity, true] }
    const receiptsCall: NodeCall = { method: receiptsMethod, params: [quantity] }
    const isWhole = this.#wholeBlocks.isWorthTrying()
    const calls = isWhole ? [blockCall, receiptsCall] : [blockCall]
    const [blockAnswer, receiptsAnswer] = await this.#client.ask(calls)
    const block = resultOf(blockAnswer, blockCall)
    if (block === null) return null
    if (!receiptsAnswer || !('result' in receiptsAnswer)) {
      if (isWhole) this.#noteRefusal(number)
      return assemble({ block, receipts: await this.#oneByOne(block, number) })
    }
    const receipts = receiptsAnswer.result
    try {
      const made = await assemble({ block, receipts })
      this.#wholeBlocks.answered()
      return made
    } catch (cause) {
      if (!(cause instanceof ReceiptsInconsistent)) throw cause
      return this.#assembledFromSingles({ block, receipts }, { number, cause, assemble })
    }
  }

  /** After an answer that contradicts the block; what is missing there may be there one by one. */
  async #assembledFromSingles<B>(
    { block, receipts: wrong }: RawBlock,
    { number, cause, assemble }: WrongReceipts<B>,
  ): Promise<B> {
    this.#client.signals.metrics?.nodeWrongAnswers.inc({ method: receiptsMethod })
    const receipts = await this.#oneByOne(block, number).catch((failure: unknown) => {
      // Receipts of a part of the block are a contradiction; none at all may be yet to come.
      const isPart = Array.isArray(wrong) && wrong.length > 0
      if (!isPart || !(failure instanceof SourceError) || failure.kind !== 'half-answer') {
        throw failure
      }
      throw new SourceError('half-answer', `${cause.message}, and ${failure.message}`, cause.key)
    })
    const made = await assemble({ block, receipts })
    this.#noteWrongAnswer(number, cause)
    return made
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
    const fields = { event: events.node.unsupported, method: receiptsMethod }
    const sentence = 'the node has no eth_getBlockReceipts: receipts are fetched one by one'
    this.#client.signals.log.warn(fields, sentence)
  }

  /** The single ones were right: a line for the first block, and one when the method is left. */
  #noteWrongAnswer(number: number, { message }: Error): void {
    const isLeft = this.#wholeBlocks.refused(number)
    const what = isLeft ? 'several blocks: receipts are' : 'a block: its receipts were'
    const fields = { event: events.node.wrongAnswer, method: receiptsMethod, block: number }
    const sentence = `eth_getBlockReceipts contradicts ${what} fetched one by one: ${message}`
    this.#client.signals.log.warn(fields, sentence)
  }
}

interface WrongReceipts<B> {
  readonly number: number
  readonly cause: ReceiptsInconsistent
  readonly assemble: Assemble<B>
}

const receiptsMethod = 'eth_getBlockReceipts'

const missing = (number: number, what: string) =>
  new SourceError('half-answer', `block ${number} came without ${what}`)

/** An error about a block is retried: the node is behind, pruned or inconsistent. */
function resultOf(answer: RpcResponse | undefined, call: Pick<NodeCall, 'method'>): unknown {
  if (!answer) throw new SourceError('half-answer', `no answer to ${call.method}`)
  if ('result' in answer) return answer.result
  throw new SourceError('wrong-answer', new RpcError(call.method, answer.error).message)
}
