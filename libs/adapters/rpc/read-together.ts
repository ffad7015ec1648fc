import { type Address, address, type Hash, type Hex, withoutPrefix } from '../../chain/hex.ts'
import { events } from '../../signals/events.ts'
import type { BestEffortCalls } from './best-effort-calls.ts'
import { bytesSchema } from './blocks/rpc-schemas.ts'
import { NodeCapability } from './node-capabilities.ts'
import type { RpcClient } from './transport/rpc-client.ts'
import type { RpcCall, RpcResponse } from './transport/rpc-transport.ts'

/** As the second parameter of `eth_call`. */
export type At = string | { readonly blockHash: Hash }

/** `balance-reader.yul`, compiled; its spec compiles it again. */
export const readerCode: Hex =
  '0x608060406020356127108160051c820101905b368310602157607f1984016080f35b9091926040608091845a116039575b01930191906012565b6060602087016000376020606087356000803588fa601f3d111615603057600181526060516020820152603056'

/** Where the code is put for one call: an address that nothing else has. */
const readerAddress: Address = address('0x00000000000000000000000000000000f01d5ca0')

/** Of all calls together; nodes allow some 50 million. */
const gasMax = 30_000_000
const wordDigits = 64
const dataBytesMax = 96
/** In hex, of the answer to one call. */
const callBytes = 4 * 32

const wordOf = (value: number): string => value.toString(16).padStart(wordDigits, '0')

/** Calls of one contract; `data` at most 96 bytes. */
export interface ContractReads {
  readonly to: Address
  readonly data: readonly string[]
}

interface Reading extends ContractReads {
  /** Of one call. */
  readonly gas: number
}

/** One `eth_call` that makes many of one contract, by a state override (geth, Reth, Erigon …). */
function readTogether({ to, data, gas }: Reading, at: At): RpcCall {
  const calls = data.map((one) => {
    const digits = one.slice(2)
    return wordOf(digits.length / 2) + digits.padEnd(2 * dataBytesMax, '0')
  })
  const input = [withoutPrefix(to).padStart(wordDigits, '0'), wordOf(gas), ...calls]
  const call = {
    to: readerAddress,
    data: `0x${input.join('')}`,
    gas: `0x${gasMax.toString(16)}`,
  }
  return {
    method: 'eth_call',
    params: [call, at, { [readerAddress]: { code: readerCode } }],
  }
}

/**
 * The first word of each result, null for a call without one; or null if the node has not run the
 * code.
 */
function wordsTogether(
  answer: RpcResponse | undefined,
  count: number,
): readonly (Hex | null)[] | null {
  const result = bytesSchema.safeParse(answer && 'result' in answer ? answer.result : null)
  const digits = result.success ? withoutPrefix(result.data) : ''
  if (digits.length !== count * 2 * wordDigits) return null
  return Array.from({ length: count }, (_, at) => {
    const [flag, word] = [0, 1].map((part) => {
      const start = (2 * at + part) * wordDigits
      return digits.slice(start, start + wordDigits)
    })
    return Number(`0x${flag}`) === 1 ? (`0x${word}` as const) : null
  })
}

/** Of one contract; fewer are as fast in a batch. */
const togetherMin = 4
/** Calls of the node in one request: each may take all of its gas. */
const perRequestMax = 8

interface Asking {
  readonly at: At
  readonly signal: AbortSignal
}

export interface Together {
  /** An answer or null for each call: null where it has to be made alone. */
  readonly answers: readonly (readonly (RpcResponse | null)[])[]
  /** The node has run none of it: where it answers the same calls alone, it takes no overrides. */
  readonly isRefused: boolean
}

function* chunksOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size)
}

/** Reads many values of a contract by one call, from nodes that take state overrides. */
export class TogetherReads {
  readonly #client: RpcClient
  readonly #calls: BestEffortCalls
  readonly #overrides = new NodeCapability()

  constructor(client: RpcClient, calls: BestEffortCalls) {
    this.#client = client
    this.#calls = calls
  }

  /** What can be read so: not of small groups, nor where a contract fails. */
  async read(groups: readonly ContractReads[], { at, signal }: Asking): Promise<Together> {
    const { callTimeoutMs: timeoutMs, callResponseBytesMax, callGas } = this.#client.limits
    const told = new Map<ContractReads, readonly (RpcResponse | null)[]>()
    const large = groups.filter(({ data }) => data.length >= togetherMin)
    const isPossible = large.length > 0 && callGas < gasMax / 2
    const isTried = isPossible && this.#overrides.isWorthTrying()
    const callsMax = Math.min(perRequestMax, this.#calls.callsMax)
    let hasAnswer = false
    const requests = [...chunksOf(isTried ? large : [], callsMax)].map(async (some) => {
      const asked = some.map((group) => readTogether({ ...group, gas: callGas }, at))
      const bytesMax = Math.max(...some.map(({ data }) => data.length)) * callBytes
      const responseBytesMax = (callResponseBytesMax + bytesMax) * asked.length
      const answers = await this.#calls.once(asked, { signal, timeoutMs, responseBytesMax })
      hasAnswer ||= answers !== null
      for (const [index, group] of some.entries()) {
        const words = wordsTogether(answers?.[index], group.data.length)
        if (words !== null)
          told.set(
            group,
            words.map((word) => word && { result: word }),
          )
      }
    })
    await Promise.all(requests)
    if (told.size > 0) this.#overrides.answered()
    const answers = groups.map((group) => told.get(group) ?? group.data.map(() => null))
    return { answers, isRefused: isTried && hasAnswer && told.size === 0 }
  }

  /** It was refused as of a block whose state the node has. */
  refused(block: number): void {
    if (!this.#overrides.refused(block)) return
    const fields = { event: events.node.unsupported, block }
    const sentence = 'the node does not take state overrides: each balance is a call of its own'
    this.#client.signals.log.warn(fields, sentence)
  }
}
