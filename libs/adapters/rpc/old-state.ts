import { SourceTrouble } from '../../ports/node.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { isLostState, isUnknownBlock } from './absent-method.ts'
import type { RpcClient } from './rpc-client.ts'
import { rpcCount } from './rpc-forms.ts'
import type { RpcAnswer, RpcCall } from './rpc-transport.ts'

/** Answers, and the block after which they hold. */
export interface StateAnswers {
  readonly answers: readonly RpcAnswer[]
  readonly block: number
}

/** Asks of the state after a block, or of the newest where the node has lost the old one. */
export class OldState {
  readonly #client: RpcClient
  readonly #log: Log
  /** The newest block whose state the node is known to have lost; -1 if none. */
  #lostBlock = -1

  constructor(client: RpcClient, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** @param callsAt makes the calls for a block's number in hex. @throws SourceTrouble */
  async ask(callsAt: (tag: string) => readonly RpcCall[], block: number): Promise<StateAnswers> {
    if (block > this.#lostBlock) {
      const answers = await this.#client.ask(callsAt(tagOf(block)))
      if (!answers.some(isErrorThat(isLostState))) return { answers, block }
    }
    const newest = await this.#client.call(rpcCount, 'eth_blockNumber', [])
    if (newest < block) {
      const sentence = `the node is at block ${newest}, behind block ${block}`
      throw new SourceTrouble('half-answer', sentence)
    }
    this.#noteLoss(block)
    const answers = await this.#client.ask(callsAt(tagOf(newest)))
    if (answers.some(isErrorThat(isUnknownBlock))) {
      const sentence = `the node does not know block ${newest}, its newest`
      throw new SourceTrouble('half-answer', sentence)
    }
    return { answers, block: newest }
  }

  #noteLoss(block: number): void {
    if (block <= this.#lostBlock) return
    if (this.#lostBlock === -1) {
      const fields = { event: events.node.lacks, block }
      this.#log.warn(fields, 'the node keeps no old state: contracts are asked at the newest block')
    }
    this.#lostBlock = block
  }
}

type Refusal = Extract<RpcAnswer, { error: unknown }>['error']

const isErrorThat = (says: (error: Refusal) => boolean) => (answer: RpcAnswer) =>
  'error' in answer && says(answer.error)

const tagOf = (block: number): string => `0x${block.toString(16)}`
