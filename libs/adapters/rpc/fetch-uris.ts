import { encodeFunctionData, parseAbi } from 'viem'
import { SourceError } from '../../ports/chain-source.ts'
import type { TokenUris, UriRequest, UriResult } from '../../ports/token-uris.ts'
import { BestEffortCalls, type GroupResult } from './best-effort-calls.ts'
import { decodeText } from './blocks/rpc-schemas.ts'
import { type HistoricalState, isContractResult } from './historical-state.ts'
import type { RpcClient } from './transport/rpc-client.ts'
import type { RpcCall } from './transport/rpc-transport.ts'

const abi = parseAbi([
  'function tokenURI(uint256 id) view returns (string)',
  'function uri(uint256 id) view returns (string)',
])

/** Characters of a URI: art that lies on the chain comes as one. */
const uriCharactersMax = 512 * 1024

const bounds = {
  /** Art that is drawn by its contract takes millions. */
  gas: '0x1c9c380',
  batchCallsMax: 16,
  timeoutMs: 5_000,
  totalMs: 15_000,
  /** Of one call: the URI as hex, its words, and the answer around it. */
  responseBytesMax: 2 * uriCharactersMax + 64 * 1024,
} as const

/** Concurrent requests: slow contracts must not hold up what blocks wait for. */
const slotsMax = 2

/** What contracts say in the newest state. */
export function urisOf(client: RpcClient, state: HistoricalState): TokenUris {
  const calls = new BestEffortCalls(client, { slotsMax })
  return { ask: (requests) => fetchUris({ state, calls }, requests) }
}

interface FetchUrisOptions {
  readonly state: HistoricalState
  readonly calls: BestEffortCalls
}

/** @throws SourceError if the node is not well */
async function fetchUris(
  { state, calls }: FetchUrisOptions,
  requests: readonly UriRequest[],
): Promise<readonly UriResult[]> {
  if (requests.length === 0) return []
  const results = await calls.withDeadline(bounds.totalMs, (signal) =>
    calls.ask(
      requests.map((request) => [uriCall(request)]),
      {
        kind: 'uri',
        isFinal: isContractResult,
        isNodeHealthy: () => state.hasStateAt('latest'),
        batchCallsMax: bounds.batchCallsMax,
        timeoutMs: bounds.timeoutMs,
        responseBytesMax: bounds.responseBytesMax,
        signal,
      },
    ),
  )
  if (results === null) throw new SourceError('half-answer', 'the node has no newest state')
  return results.map(uriResultOf)
}

function uriCall({ token, tokenId, function: functionName }: UriRequest): RpcCall {
  const data = encodeFunctionData({ abi, functionName, args: [tokenId] })
  return { method: 'eth_call', params: [{ to: token, data, gas: bounds.gas }, 'latest'] }
}

function uriResultOf({ answers: [answer], end }: GroupResult): UriResult {
  if (answer === undefined || answer === null) {
    return { kind: end === 'cut-off' ? 'cut-off' : 'unanswered' }
  }
  const text = 'result' in answer ? decodeText(answer.result, uriCharactersMax) : null
  return text === null || text.trim() === '' ? { kind: 'none' } : { kind: 'uri', text }
}
