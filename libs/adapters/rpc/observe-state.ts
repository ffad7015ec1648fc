import { LRUCache } from 'lru-cache'
import { toFunctionSelector } from 'viem'
import type { Address, Hash } from '../../chain/hex.ts'
import { SourceError, type StateRequest, type StateResult } from '../../ports/chain-source.ts'
import { events } from '../../signals/events.ts'
import type { BestEffortCalls, GroupResult } from './best-effort-calls.ts'
import { decodeUint } from './blocks/rpc-schemas.ts'
import { type HistoricalState, isContractResult } from './historical-state.ts'
import { NodeCapability, type PrunedState } from './node-capabilities.ts'
import type { RpcClient } from './transport/rpc-client.ts'

const deniedMax = 64

/** The node's current canonical chain. */
interface CanonicalChain {
  /** Null if there is no such block. */
  hash(number: number): Promise<Hash | null>
  head(): Promise<number>
}

interface ObserverOptions {
  readonly client: RpcClient
  readonly calls: BestEffortCalls
  readonly state: HistoricalState
  readonly horizon: PrunedState
  readonly chain: CanonicalChain
}

/** As the second parameter of `eth_call`. */
type At = string | { readonly blockHash: Hash }

/**
 * Balances and supplies after one very block: asked by its hash (EIP-1898), so that a fork in the
 * meantime is an error and no wrong answer; by number, with a look at the hash before and after,
 * where the node takes no hashes.
 */
export class StateObserver {
  readonly #parts: ObserverOptions
  readonly #hashes = new NodeCapability()
  /** Blocks that the node denied once; denied again, they are given up. */
  readonly #denied = new LRUCache<Hash, true>({ max: deniedMax })

  constructor(parts: ObserverOptions) {
    this.#parts = parts
  }

  /** Null if the node has not that state (any more). @throws SourceError */
  async observe(question: StateRequest): Promise<StateResult | null> {
    const { client, calls, horizon } = this.#parts
    if (horizon.isLost(question.block)) return null
    const groups = balanceCalls(question, client.limits.batchCallsMax)
    const results = await calls.withDeadline(client.limits.callsTotalMs, (signal) =>
      this.#answers({ question, groups, signal }),
    )
    if (results === null) return null
    if (hasAnswer(results)) {
      horizon.kept(question.block)
    }
    return stateAnswerOf(question, groups, results)
  }

  async #answers(asking: Asking): Promise<readonly GroupResult[] | null> {
    const { block, hash } = asking.question
    const { horizon, chain } = this.#parts
    const isByHash = this.#hashes.isWorthTrying()
    const wrong = { count: 0 }
    const byHash = isByHash ? await this.#asked(asking, { blockHash: hash }, wrong) : null
    if (byHash !== null && (hasAnswer(byHash) || wrong.count === 0)) {
      this.#hashes.answered()
      return byHash
    }
    // It knows the block of that number, and it is ours: so it takes no hashes, or lost the state.
    if ((await chain.hash(block)) !== hash) return this.#giveUp(asking.question)
    const results = await this.#asked(asking, `0x${block.toString(16)}`)
    if ((await chain.hash(block)) !== hash) return this.#giveUp(asking.question)
    if (results === null) {
      if (byHash === null) horizon.lost(block, await chain.head())
      return byHash
    }
    // Where it answers nothing by number either, the contracts are at fault.
    if (isByHash && (byHash === null || hasAnswer(results))) this.#noteNoHashes(block)
    return results
  }

  /** @param wrong counts results that no contract can give */
  #asked(
    { groups, signal }: Asking,
    at: At,
    wrong = { count: 0 },
  ): Promise<readonly GroupResult[] | null> {
    const { client, calls, state } = this.#parts
    const { batchCallsMax, callTimeoutMs, callResponseBytesMax, callGas } = client.limits
    const gas = `0x${callGas.toString(16)}`
    return calls.ask(
      groups.map((group) =>
        group.map(({ to, data }) => ({ method: 'eth_call', params: [{ to, data, gas }, at] })),
      ),
      {
        kind: 'balance',
        isFinal: (answer) => {
          const isFinal = isContractResult(answer)
          if (!isFinal && 'result' in answer) wrong.count++
          return isFinal
        },
        isNodeHealthy: () => state.hasStateAt(at),
        batchCallsMax,
        timeoutMs: callTimeoutMs,
        responseBytesMax: callResponseBytesMax,
        signal,
      },
    )
  }

  #noteNoHashes(block: number): void {
    if (!this.#hashes.refused(block)) return
    const fields = { event: events.node.unsupported, block }
    const sentence = 'the node does not accept block hashes: balances are queried by block number'
    this.#parts.client.signals.log.warn(fields, sentence)
  }

  /** The block may be orphaned by now, so that another try asks of another; then it is left. */
  #giveUp({ block, hash }: StateRequest): null {
    const sentence = `the node does not know block ${block} by its hash ${hash}`
    if (!this.#denied.has(hash)) {
      this.#denied.set(hash, true)
      throw new SourceError('half-answer', sentence)
    }
    const fields = { event: events.node.unsupported, block }
    const words = 'balances that transfers cannot explain are queried later'
    this.#parts.client.signals.log.warn(fields, `${sentence}: ${words}`)
    return null
  }
}

const hasAnswer = (results: readonly GroupResult[]): boolean =>
  results.some(({ answers }) => answers.some((answer) => answer !== null))

interface Asking {
  readonly question: StateRequest
  readonly groups: readonly (readonly TokenCall[])[]
  readonly signal: AbortSignal
}

const balanceOf = toFunctionSelector('balanceOf(address)')
const totalSupply = toFunctionSelector('totalSupply()')

/** `holder` is null for the supply. */
interface TokenCall {
  readonly to: Address
  readonly holder: Address | null
  readonly data: string
}

/** Calls of one token are grouped together, as far as they fit into one request. */
function balanceCalls(
  { balances, supplies }: StateRequest,
  callsMax: number,
): readonly (readonly TokenCall[])[] {
  const byToken = new Map<Address, TokenCall[]>()
  const add = (question: TokenCall) => {
    const known = byToken.get(question.to)
    if (known) known.push(question)
    else byToken.set(question.to, [question])
  }
  for (const to of supplies) add({ to, holder: null, data: totalSupply })
  for (const { token, holder } of balances) {
    add({ to: token, holder, data: `${balanceOf}${holder.slice(2).padStart(64, '0')}` })
  }
  return [...byToken.values()].flatMap((questions) => {
    const count = Math.ceil(questions.length / callsMax)
    return Array.from({ length: count }, (_, at) =>
      questions.slice(at * callsMax, (at + 1) * callsMax),
    )
  })
}

/** What was observed, and what was not. `results` in the order of `groups`. */
function stateAnswerOf(
  { block, hash }: StateRequest,
  groups: readonly (readonly TokenCall[])[],
  results: readonly GroupResult[],
): StateResult {
  const balances: StateResult['observation']['balances'][number][] = []
  const supplies: StateResult['observation']['supplies'][number][] = []
  const unanswered: { token: Address; holder: Address | null }[] = []
  const failed = new Set<Address>()
  for (const [index, group] of groups.entries()) {
    for (const [at, { to: token, holder }] of group.entries()) {
      const { answers, end } = results[index] ?? { answers: [], end: 'cut-off' }
      const answer = answers[at] ?? null
      if (answer === null) {
        unanswered.push({ token, holder })
        if (end === 'failed') failed.add(token)
        continue
      }
      const value = 'result' in answer ? decodeUint(answer.result) : null
      if (value === null) continue
      if (holder === null) supplies.push({ token, value })
      else balances.push({ token, holder, tokenId: null, value })
    }
  }
  const observation = { block, hash, balances, supplies, owners: [], tokens: [] }
  return { observation, unanswered, failed: [...failed] }
}
