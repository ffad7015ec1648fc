import { toFunctionSelector } from 'viem'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Standard, TokenMetadata } from '../../chain/token.ts'
import { decodeBool, decodeDecimals, decodeText, decodeUint } from './contract-words.ts'
import type { StateBlock } from './old-state.ts'
import type { RpcCall, RpcResponse } from './rpc-transport.ts'

const supportsInterface = toFunctionSelector('supportsInterface(bytes4)')
const supports = (id: string): Hex => `${supportsInterface}${id.padEnd(64, '0')}`

/** What each token is asked, by `eth_call`. */
const questions = {
  name: toFunctionSelector('name()'),
  symbol: toFunctionSelector('symbol()'),
  decimals: toFunctionSelector('decimals()'),
  totalSupply: toFunctionSelector('totalSupply()'),
  /** ERC-165 wants a yes to its own id and a no to ffffffff before others are believed. */
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
export function metadataCalls(
  token: Address,
  at: { tag: string; gas: number },
): readonly RpcCall[] {
  const gas = `0x${at.gas.toString(16)}`
  return names.map((name) => ({
    method: 'eth_call',
    params: [{ to: token, data: questions[name], gas }, at.tag],
  }))
}

/**
 * Null if the contract said nothing of itself. `answers` in the order of `questionsTo`, null for
 * what did not come. A supply that a fork may take away is left out: it would stay where it was
 * published, and hide what is minted meanwhile.
 */
export function metadataOf(
  token: Address,
  answers: readonly (RpcResponse | null)[],
  { block, isOrphanable }: StateBlock,
): TokenMetadata | null {
  const said = (name: Question): unknown => {
    const answer = answers[names.indexOf(name)]
    return answer && 'result' in answer ? answer.result : null
  }
  const metadata: TokenMetadata = {
    address: token,
    standard: standardOf(said),
    name: decodeText(said('name')),
    symbol: decodeText(said('symbol')),
    decimals: decodeDecimals(said('decimals')),
    totalSupply: isOrphanable ? null : decodeUint(said('totalSupply')),
    block,
  }
  const { standard, name, symbol, decimals, totalSupply } = metadata
  const saidAnything = [standard, name, symbol, decimals, totalSupply].some((it) => it !== null)
  return saidAnything ? metadata : null
}

function standardOf(said: (name: Question) => unknown): Standard | null {
  const isHybrid = ['erc20TotalSupply', 'erc721TotalSupply'] as const
  if (isHybrid.every((name) => decodeUint(said(name)) !== null)) return 'ERC-404'
  if (!decodeBool(said('isErc165')) || decodeBool(said('agreesToAll'))) return null
  if (decodeBool(said('isErc721'))) return 'ERC-721'
  return decodeBool(said('isErc1155')) ? 'ERC-1155' : null
}
