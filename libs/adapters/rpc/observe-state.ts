import { LRUCache } from 'lru-cache'
import { toFunctionSelector } from 'viem'
import type { Address, Hash } from '../../chain/hex.ts'
import type { Observation } from '../../chain/observation.ts'
import { SourceTrouble, type StateQuestion } from '../../ports/node.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { isLostState, isUnknownBlock } from './absent-method.ts'
import { uintOf } from './contract-words.ts'
import type { RpcClient } from './rpc-client.ts'
import type { RpcAnswer, RpcCall } from './rpc-transport.ts'
import { callGasMax } from './token-questions.ts'

const balanceOf = toFunctionSelector('balanceOf(address)')
const totalSupply = toFunctionSelector('totalSupply()')

const badParams = -32602
const badParamsWords = /invalid (?:argument|param)|cannot unmarshal|blockhash/i

const deniedMax = 64

/** Every node keeps the state of so many newest blocks; many keep no more. */
const keptBlocks = 128

/** How the node's chain stands now. */
interface Standing {
  /** Null if there is no such block. */
  hash(number: number): Promise<Hash | null>
  head(): Promise<number>
}

/**
 * Balances and supplies after one very block: asked by its hash (EIP-1898), so that a fork in the
 * meantime is an error and no wrong answer; by number, with a look at the hash before and after,
 * where the node takes no hashes.
 */
export class StateObserver {
  readonly #client: RpcClient
  readonly #standing: Standing
  readonly #log: Log
  #takesHashes = true
  /** Blocks that the node denied once; denied again, they are given up. */
  readonly #denied = new LRUCache<Hash, true>({ max: deniedMax })
  /** Not worth asking: the newest block whose state is lost, or probably is; -1 if none. */
  #lostBlock = -1

  constructor(client: RpcClient, standing: Standing, log: Log) {
    this.#client = client
    this.#standing = standing
    this.#log = log
  }

  /** Null if the node has not that state (any more). @throws SourceTrouble */
  async observe(question: StateQuestion): Promise<Observation | null> {
    const { block, hash, balances, supplies } = question
    if (block <= this.#lostBlock) return null
    const answers = await this.#answers(question)
    if (!answers) return null
    const said = (at: number): bigint | null => {
      const answer = answers[at]
      return answer && 'result' in answer ? uintOf(answer.result) : null
    }
    return {
      block,
      hash,
      balances: balances.flatMap(({ token, holder }, at) => {
        const value = said(at)
        return value === null ? [] : { token, holder, tokenId: null, value }
      }),
      supplies: supplies.flatMap((token, at) => {
        const value = said(balances.length + at)
        return value === null ? [] : { token, value }
      }),
      owners: [],
      tokens: [],
    }
  }

  async #answers(question: StateQuestion): Promise<readonly RpcAnswer[] | null> {
    const { block, hash } = question
    if (this.#takesHashes) {
      const answers = await this.#client.ask(callsOf(question, { blockHash: hash }))
      if (!answers.some(isBadParams)) return this.#unlessLost(answers, question)
      this.#takesHashes = false
      const fields = { event: events.node.lacks, block }
      this.#log.warn(fields, 'the node takes no block hashes: balances are asked by number')
    }
    if ((await this.#standing.hash(block)) !== hash) return this.#giveUp(question)
    const answers = await this.#client.ask(callsOf(question, `0x${block.toString(16)}`))
    if ((await this.#standing.hash(block)) !== hash) return this.#giveUp(question)
    return this.#unlessLost(answers, question)
  }

  async #unlessLost(answers: readonly RpcAnswer[], question: StateQuestion) {
    const errors = answers.flatMap((answer) => ('error' in answer ? answer.error : []))
    if (errors.some(isUnknownBlock)) return this.#giveUp(question)
    if (!errors.some(isLostState)) return answers
    const { block } = question
    if (this.#lostBlock === -1) {
      const fields = { event: events.node.lacks, block }
      const words = 'balances that transfers cannot explain stay unknown'
      this.#log.warn(fields, `the node has no state of block ${block}: ${words}`)
    }
    this.#lostBlock = Math.max(this.#lostBlock, block)
    // A long backfill need not learn it block by block.
    const probablyLost = (await this.#standing.head()) - keptBlocks
    this.#lostBlock = Math.max(this.#lostBlock, probablyLost)
    return null
  }

  /** The block may be orphaned by now, so that another try asks of another; then it is left. */
  #giveUp({ block, hash }: StateQuestion): null {
    const sentence = `the node does not know block ${block} by its hash ${hash}`
    if (!this.#denied.has(hash)) {
      this.#denied.set(hash, true)
      throw new SourceTrouble('half-answer', sentence)
    }
    const words = 'balances that transfers cannot explain stay unknown'
    this.#log.warn({ event: events.node.lacks, block }, `${sentence}: ${words}`)
    return null
  }
}

const isBadParams = (answer: RpcAnswer): boolean =>
  'error' in answer &&
  !isLostState(answer.error) &&
  (answer.error.code === badParams || badParamsWords.test(answer.error.message))

function callsOf(question: StateQuestion, at: string | { blockHash: Hash }): readonly RpcCall[] {
  const callTo = (to: Address, data: string): RpcCall => ({
    method: 'eth_call',
    params: [{ to, data, gas: `0x${callGasMax.toString(16)}` }, at],
  })
  return [
    ...question.balances.map(({ token, holder }) =>
      callTo(token, `${balanceOf}${holder.slice(2).padStart(64, '0')}`),
    ),
    ...question.supplies.map((token) => callTo(token, totalSupply)),
  ]
}
