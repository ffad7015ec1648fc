import { z } from 'zod'
import { type Address, type Hex, zeroAddress } from '../../chain/hex.ts'
import { type Code, SourceError } from '../../ports/chain-source.ts'
import type { BestEffortCalls, CallGroup, GroupResult } from './best-effort-calls.ts'
import { bytesSchema, countSchema } from './blocks/rpc-schemas.ts'
import type { PrunedState } from './node-capabilities.ts'
import type { NodeCall, RpcClient } from './transport/rpc-client.ts'
import { isContractError, type RpcResponse } from './transport/rpc-transport.ts'

/** Depth at least, though a node calls newer blocks final: some take every block for final. */
const finalDepthMin = 64
/** … and of a node without final blocks: deeper forks are not followed (see `libs/topics`). */
const unfinalDepthMin = 256

/** The block whose state was read, and whether a fork may still orphan it. */
export interface StateBlock {
  readonly block: number
  readonly isOrphanable: boolean
}

/** How contracts are asked in one go. */
interface ContractCalls {
  /** Makes the calls for a block's number in hex, those of a contract together. */
  readonly groupsAt: (tag: string) => readonly CallGroup[]
  readonly signal: AbortSignal
}

/**
 * The state after a block, or, if the node has lost that, after one that no fork can revert any
 * more. Whether it is lost is checked by a call in which no contract takes part.
 */
export class HistoricalState {
  readonly #client: RpcClient
  readonly #calls: BestEffortCalls
  readonly #horizon: PrunedState

  constructor(client: RpcClient, calls: BestEffortCalls, horizon: PrunedState) {
    this.#client = client
    this.#calls = calls
    this.#horizon = horizon
  }

  /** @param callsAt makes the calls for a block's number in hex. @throws SourceError */
  async ask(
    callsAt: (tag: string) => readonly NodeCall[],
    block: number,
  ): Promise<readonly RpcResponse[]> {
    const { result } = await this.#whereKept(block, async (tag) => {
      const answers = await this.#client.ask(callsAt(tag))
      const isWhole = answers.every((answer) => 'result' in answer)
      return isWhole || (await this.hasStateAt(tag)) ? answers : null
    })
    return result
  }

  /** As of that block alone: what the node has lost has no answer. @throws SourceError */
  askExactly(
    callsAt: (tag: string) => readonly NodeCall[],
    block: number,
  ): Promise<readonly RpcResponse[]> {
    return this.#client.ask(callsAt(tagOf(block)))
  }

  /** One answer for each group. @throws SourceError if the node is not well */
  async askContracts(
    { groupsAt, signal }: ContractCalls,
    block: number,
  ): Promise<{ readonly groups: readonly GroupResult[]; readonly place: StateBlock }> {
    const { batchCallsMax, callTimeoutMs, callResponseBytesMax } = this.#client.limits
    const { result, place } = await this.#whereKept(block, (tag) =>
      this.#calls.ask(groupsAt(tag), {
        kind: 'token',
        isFinal: isContractResult,
        isNodeHealthy: () => this.hasStateAt(tag),
        batchCallsMax,
        timeoutMs: callTimeoutMs,
        responseBytesMax: callResponseBytesMax,
        signal,
      }),
    )
    const isProof = result.some(({ answers }) => answers.some((answer) => answer !== null))
    if (isProof && place.block === block) this.#horizon.kept(block)
    return { groups: result, place }
  }

  /** Whether the node has a state. @param at as `eth_call` takes it. @throws SourceError */
  async hasStateAt(at: unknown): Promise<boolean> {
    const [answer] = await this.#client.ask([
      { method: 'eth_getBalance', params: [zeroAddress, at] },
    ])
    return answer !== undefined && 'result' in answer && isQuantity(answer.result)
  }

  /** @param ask null if the node has not the state of that tag */
  async #whereKept<T>(block: number, ask: (tag: string) => Promise<T | null>) {
    if (!this.#horizon.isLost(block)) {
      const result = await ask(tagOf(block))
      if (result !== null) return { result, place: { block, isOrphanable: false } }
    }
    const [newest, final] = await Promise.all([
      this.#client.call(countSchema, 'eth_blockNumber', []),
      this.#finalBlock(),
    ])
    if (newest < block) {
      const sentence = `the node is at block ${newest}, behind block ${block}`
      throw new SourceError('half-answer', sentence)
    }
    this.#horizon.lost(block, newest)
    const settled =
      final === null ? newest - unfinalDepthMin : Math.min(final, newest - finalDepthMin)
    if (settled > block) {
      const result = await ask(tagOf(settled))
      if (result !== null) return { result, place: { block: settled, isOrphanable: false } }
    }
    const result = await ask(tagOf(newest))
    if (result !== null) return { result, place: { block: newest, isOrphanable: newest > block } }
    const sentence = `the node has no state of block ${newest}, its newest`
    throw new SourceError('half-answer', sentence)
  }

  /** Number of the newest final block; null if it knows none (nodes differ in that). */
  async #finalBlock(): Promise<number | null> {
    const [answer] = await this.#client.ask([
      { method: 'eth_getBlockByNumber', params: ['finalized', false] },
    ])
    const header = answer && 'result' in answer ? rpcFinal.safeParse(answer.result) : null
    return header?.success ? header.data.number : null
  }
}

const rpcFinal = z.object({ number: countSchema })

/**
 * Whether the result or error comes from the contract; any other may be the node's fault. A result
 * that is no bytes is: no contract can return that.
 */
export const isContractResult = (answer: RpcResponse): boolean =>
  'result' in answer ? bytesSchema.safeParse(answer.result).success : isContractError(answer.error)

const isQuantity = (result: unknown): boolean =>
  typeof result === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(result)

const tagOf = (block: number): string => `0x${block.toString(16)}`

/** EIP-7702: prefix of the code of an account that runs another's code. */
const designator = '0xef0100'

/** Code at addresses; those without a response are omitted. @throws SourceError */
export async function fetchCodes(
  state: HistoricalState,
  addresses: readonly Address[],
  block: number,
): Promise<ReadonlyMap<Address, Code>> {
  if (addresses.length === 0) return new Map()
  const found = await codesOf(state, addresses, block)
  const missing = addresses.filter((address) => !found.has(address))
  if (missing.length === addresses.length && addresses.length === 1) return found
  // Asked alone where the answer in the batch was wrong.
  const again = await Promise.all(missing.map((address) => codesOf(state, [address], block)))
  return new Map([...found, ...again.flatMap((codes) => [...codes])])
}

async function codesOf(
  state: HistoricalState,
  addresses: readonly Address[],
  block: number,
): Promise<ReadonlyMap<Address, Code>> {
  return codesIn(addresses, await state.ask(codeCalls(addresses), block))
}

/** The same as of that block alone: of what the node has lost nothing is known. */
export const fetchCodesAt = async (
  state: HistoricalState,
  addresses: readonly Address[],
  block: number,
): Promise<ReadonlyMap<Address, Code>> =>
  addresses.length === 0
    ? new Map()
    : codesIn(addresses, await state.askExactly(codeCalls(addresses), block))

const codeCalls =
  (addresses: readonly Address[]) =>
  (tag: string): readonly NodeCall[] =>
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, tag] }))

function codesIn(
  addresses: readonly Address[],
  answers: readonly RpcResponse[],
): ReadonlyMap<Address, Code> {
  return new Map(
    addresses.flatMap((address, at) => {
      const answer = answers[at]
      const result = bytesSchema.safeParse(answer && 'result' in answer ? answer.result : null)
      return result.success ? [[address, codeOf(result.data)] as const] : []
    }),
  )
}

function codeOf(bytes: Hex): Code {
  if (bytes === '0x') return 'none'
  return bytes.startsWith(designator) ? 'delegated' : 'own'
}
