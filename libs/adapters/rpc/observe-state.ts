import { LRUCache } from 'lru-cache'
import { toFunctionSelector } from 'viem'
import { addressInWord } from '../../chain/abi-words.ts'
import type { Observation } from '../../chain/block.ts'
import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import {
  SourceError,
  type StateRef,
  type StateRequest,
  type StateResult,
} from '../../ports/chain-source.ts'
import { events } from '../../signals/events.ts'
import type { BestEffortCalls, GroupResult } from './best-effort-calls.ts'
import { decodeUint } from './blocks/rpc-schemas.ts'
import { type HistoricalState, isContractResult } from './historical-state.ts'
import { NodeCapability, type PrunedState } from './node-capabilities.ts'
import { type At, TogetherReads } from './read-together.ts'
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

/**
 * Values of tokens after one very block: asked by its hash (EIP-1898), so that a fork in the
 * meantime is an error and no wrong answer; by number, with a look at the hash before and after,
 * where the node takes no hashes.
 */
export class StateObserver {
  readonly #parts: ObserverOptions
  readonly #hashes = new NodeCapability()
  readonly #together: TogetherReads
  /** Blocks that the node denied once; denied again, they are given up. */
  readonly #denied = new LRUCache<Hash, true>({ max: deniedMax })

  constructor(parts: ObserverOptions) {
    this.#parts = parts
    this.#together = new TogetherReads(parts.client, parts.calls)
  }

  /** Null if the node has not that state (any more). @throws SourceError */
  async observe(question: StateRequest): Promise<StateResult | null> {
    const { client, calls, horizon } = this.#parts
    if (horizon.isLost(question.block)) return null
    const groups = tokenCalls(question.values, client.limits.batchCallsMax)
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
  async #asked(
    { groups, signal, question }: Asking,
    at: At,
    wrong = { count: 0 },
  ): Promise<readonly GroupResult[] | null> {
    const reads = groups.map(({ to, calls }) => ({ to, data: calls.map(({ data }) => data) }))
    const together = await this.#together.read(reads, { at, signal })
    const left = groups.map(({ to, calls }, index) => ({
      to,
      calls: calls.filter((_, place) => !together.answers[index]?.[place]),
    }))
    const alone = await this.#askedAlone(left, { at, signal, wrong })
    if (alone === null) return null
    if (together.isRefused && hasAnswer(alone)) this.#together.refused(question.block)
    return groups.map(({ calls }, index) => {
      const { answers, end } = alone[index] ?? { answers: [], end: 'cut-off' as const }
      const rest = [...answers]
      const told = together.answers[index] ?? []
      return { end, answers: calls.map((_, place) => told[place] ?? rest.shift() ?? null) }
    })
  }

  #askedAlone(
    groups: readonly TokenGroup[],
    { at, signal, wrong }: { at: At; signal: AbortSignal; wrong: { count: number } },
  ): Promise<readonly GroupResult[] | null> {
    const { client, calls, state } = this.#parts
    const { batchCallsMax, callTimeoutMs, callResponseBytesMax, callGas } = client.limits
    const gas = `0x${callGas.toString(16)}`
    return calls.ask(
      groups.map(({ to, calls: own }) =>
        own.map(({ data }) => ({ method: 'eth_call', params: [{ to, data, gas }, at] })),
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
  readonly groups: readonly TokenGroup[]
  readonly signal: AbortSignal
}

const balanceOf = toFunctionSelector('balanceOf(address)')
const balanceOfId = toFunctionSelector('balanceOf(address,uint256)')
const ownerOf = toFunctionSelector('ownerOf(uint256)')
const totalSupply = toFunctionSelector('totalSupply()')

interface TokenCall {
  readonly asked: StateRef
  readonly data: string
}

interface TokenGroup {
  readonly to: Address
  readonly calls: readonly TokenCall[]
}

const wordOf = (digits: string): string => digits.padStart(64, '0')

function dataOf({ holder, tokenId }: StateRef): string {
  const id = tokenId === null ? '' : wordOf(tokenId.toString(16))
  if (holder === null) return tokenId === null ? totalSupply : ownerOf + id
  return (tokenId === null ? balanceOf : balanceOfId) + wordOf(withoutPrefix(holder)) + id
}

/** Calls of one token are grouped together, as far as they fit into one request. */
function tokenCalls(values: readonly StateRef[], callsMax: number): readonly TokenGroup[] {
  const byToken = new Map<Address, TokenCall[]>()
  for (const asked of values) {
    const call = { asked, data: dataOf(asked) }
    const known = byToken.get(asked.token)
    if (known) known.push(call)
    else byToken.set(asked.token, [call])
  }
  return [...byToken].flatMap(([to, calls]) => {
    const count = Math.ceil(calls.length / callsMax)
    return Array.from({ length: count }, (_, at) => ({
      to,
      calls: calls.slice(at * callsMax, (at + 1) * callsMax),
    }))
  })
}

/** What was observed, and what was not. `results` in the order of `groups`. */
function stateAnswerOf(
  { block, hash }: StateRequest,
  groups: readonly TokenGroup[],
  results: readonly GroupResult[],
): StateResult {
  const balances: Observation['balances'][number][] = []
  const supplies: Observation['supplies'][number][] = []
  const owners: Observation['owners'][number][] = []
  const unanswered: StateRef[] = []
  const failed = new Set<Address>()
  for (const [index, { calls }] of groups.entries()) {
    for (const [at, { asked }] of calls.entries()) {
      const { answers, end } = results[index] ?? { answers: [], end: 'cut-off' }
      const answer = answers[at] ?? null
      if (answer === null) {
        unanswered.push(asked)
        if (end === 'failed') failed.add(asked.token)
        continue
      }
      const { token, holder, tokenId } = asked
      const value = 'result' in answer ? decodeUint(answer.result) : null
      if (value === null) continue
      if (holder !== null) balances.push({ token, holder, tokenId, value })
      else if (tokenId === null) supplies.push({ token, value })
      else {
        const owner = addressInWord(`0x${wordOf(value.toString(16))}`)
        if (owner !== null) owners.push({ token, tokenId, owner })
      }
    }
  }
  const observation = { block, hash, balances, supplies, owners, tokens: [] }
  return { observation, unanswered, failed: [...failed] }
}
