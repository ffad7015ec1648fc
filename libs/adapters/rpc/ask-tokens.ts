import type { Address } from '../../chain/hex.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { isLostState } from './absent-method.ts'
import type { RpcClient } from './rpc-client.ts'
import { rpcCount } from './rpc-forms.ts'
import type { RpcAnswer } from './rpc-transport.ts'
import { metadataOf, questionsCount, questionsTo } from './token-questions.ts'

/** Asks contracts what they say of themselves, as of a block if the node has its state still. */
export class TokenQuestions {
  readonly #client: RpcClient
  readonly #log: Log
  /** The newest block whose state the node is known to have lost; -1 if none. */
  #lostBlock = -1

  constructor(client: RpcClient, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** @throws SourceTrouble */
  async ask(addresses: readonly Address[], block: number): Promise<readonly TokenMetadata[]> {
    if (addresses.length === 0) return []
    if (block > this.#lostBlock) {
      const answers = await this.#answers(addresses, block)
      if (!answers.some((answer) => 'error' in answer && isLostState(answer.error))) {
        return metadataOfAll(addresses, answers, block)
      }
      this.#noteLoss(block)
    }
    const newest = rpcCount.parse(await this.#client.call('eth_blockNumber', []))
    return metadataOfAll(addresses, await this.#answers(addresses, newest), newest)
  }

  #answers(addresses: readonly Address[], block: number): Promise<readonly RpcAnswer[]> {
    return this.#client.ask(addresses.flatMap((address) => questionsTo(address, block)))
  }

  #noteLoss(block: number): void {
    if (this.#lostBlock === -1) {
      const fields = { event: events.node.lacks, block }
      this.#log.warn(fields, 'the node keeps no old state: tokens are asked at the newest block')
    }
    this.#lostBlock = Math.max(this.#lostBlock, block)
  }
}

function metadataOfAll(
  addresses: readonly Address[],
  answers: readonly RpcAnswer[],
  block: number,
): readonly TokenMetadata[] {
  return addresses.flatMap((address, at) => {
    const own = answers.slice(at * questionsCount, (at + 1) * questionsCount)
    return metadataOf(address, own, block) ?? []
  })
}
