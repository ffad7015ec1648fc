import { toFunctionSelector } from 'viem'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Standard, TokenMetadata } from '../../chain/token.ts'
import type { TokensResult } from '../../ports/chain-source.ts'
import type { BestEffortCalls } from './best-effort-calls.ts'
import { decodeBool, decodeDecimals, decodeText, decodeUint } from './blocks/rpc-schemas.ts'
import type { HistoricalState, StateBlock } from './historical-state.ts'
import type { RpcCall, RpcLimits, RpcResponse } from './transport/rpc-transport.ts'

interface FetchTokensOptions {
  readonly state: HistoricalState
  readonly calls: BestEffortCalls
  readonly limits: RpcLimits
}

/** What contracts say of themselves, as of a block if it can be. @throws SourceError */
export async function fetchTokens(
  { state, calls, limits }: FetchTokensOptions,
  addresses: readonly Address[],
  block: number,
): Promise<TokensResult> {
  if (addresses.length === 0) return { metadata: [], failed: [], cutOff: [] }
  const { groups, place } = await calls.withDeadline(limits.callsTotalMs, (signal) => {
    const groupsAt = (tag: string) =>
      addresses.map((address) => metadataCalls(address, { tag, gas: limits.callGas }))
    return state.askContracts({ groupsAt, signal }, block)
  })
  const found: TokenMetadata[] = []
  const failed: Address[] = []
  const cutOff: Address[] = []
  for (const [at, address] of addresses.entries()) {
    const { answers, end } = groups[at] ?? { answers: [], end: 'cut-off' }
    if (end === 'failed') failed.push(address)
    if (end === 'cut-off') cutOff.push(address)
    const metadata = metadataOf(address, answers, place)
    if (metadata) found.push(metadata)
  }
  return { metadata: found, failed, cutOff }
}

const supportsInterface = toFunctionSelector('supportsInterface(bytes4)')
const supports = (id: string): Hex => `${supportsInterface}${id.padEnd(64, '0')}`

/** What each token is asked, by `eth_call`. */
const questions = {
  name: toFunctionSelector('name()'),
  symbol: toFunctionSelector('symbol()'),
  decimals: toFunctionSelector('decimals()'),
  totalSupply: toFunctionSelector('totalSupply()'),
  /** ERC-165 requires true for its own id and false for ffffffff before other results are valid. */
  isErc165: supports('01ffc9a7'),
  agreesToAll: supports('ffffffff'),
  isErc721: supports('80ac58cd'),
  isErc1155: supports('d9b67a26'),
  /** Only hybrids (ERC-404) answer both. */
  erc20TotalSupply: toFunctionSelector('erc20TotalSupply()'),
  erc721TotalSupply: toFunctionSelector('erc721TotalSupply()'),
} as const
type Question = keyof typeof questions

const names = [
  'name',
  'symbol',
  'decimals',
  'totalSupply',
  'isErc165',
  'agreesToAll',
  'isErc721',
  'isErc1155',
  'erc20TotalSupply',
  'erc721TotalSupply',
] as const satisfies readonly Question[]

/** @param at `tag`: the calls see the state after the block of that number in hex */
function metadataCalls(token: Address, at: { tag: string; gas: number }): readonly RpcCall[] {
  const gas = `0x${at.gas.toString(16)}`
  return names.map((name) => ({
    method: 'eth_call',
    params: [{ to: token, data: questions[name], gas }, at.tag],
  }))
}

/**
 * Null if the contract returned no metadata. `answers` in the order of `questionsTo`, null for what
 * was not answered. A supply that a fork may revert is omitted: it would remain where it was
 * published, and hide later mints.
 */
function metadataOf(
  token: Address,
  answers: readonly (RpcResponse | null)[],
  { block, isOrphanable }: StateBlock,
): TokenMetadata | null {
  const resultOf = (name: Question): unknown => {
    const answer = answers[names.indexOf(name)]
    return answer && 'result' in answer ? answer.result : null
  }
  const metadata: TokenMetadata = {
    address: token,
    standard: standardOf(resultOf),
    name: decodeText(resultOf('name')),
    symbol: decodeText(resultOf('symbol')),
    decimals: decodeDecimals(resultOf('decimals')),
    totalSupply: isOrphanable ? null : decodeUint(resultOf('totalSupply')),
    block,
  }
  const { standard, name, symbol, decimals, totalSupply } = metadata
  const saidAnything = [standard, name, symbol, decimals, totalSupply].some((it) => it !== null)
  return saidAnything ? metadata : null
}

function standardOf(resultOf: (name: Question) => unknown): Standard | null {
  const isHybrid = ['erc20TotalSupply', 'erc721TotalSupply'] as const
  if (isHybrid.every((name) => decodeUint(resultOf(name)) !== null)) return 'ERC-404'
  if (!decodeBool(resultOf('isErc165')) || decodeBool(resultOf('agreesToAll'))) return null
  if (decodeBool(resultOf('isErc721'))) return 'ERC-721'
  return decodeBool(resultOf('isErc1155')) ? 'ERC-1155' : null
}
