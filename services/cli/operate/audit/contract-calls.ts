import { encodeFunctionData, parseAbi } from 'viem'
import {
  decodeBool,
  decodeDecimals,
  decodeText,
  decodeUint,
} from '../../../../libs/adapters/rpc/blocks/rpc-schemas.ts'
import type { ContractAnswer, ContractCall } from '../../../../libs/adapters/rpc/node-reader.ts'
import { type Address, address, hex } from '../../../../libs/chain/hex.ts'

const functions = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address holder) view returns (uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function supportsInterface(bytes4 id) view returns (bool)',
])
const functionsOfItems = parseAbi([
  'function balanceOf(address holder, uint256 id) view returns (uint256)',
])

type Word = 'name' | 'symbol' | 'decimals' | 'totalSupply'

export const wordCall = (to: Address, functionName: Word): ContractCall => ({
  to,
  data: hex(encodeFunctionData({ abi: functions, functionName })),
})

export const balanceCall = (to: Address, holder: Address): ContractCall => ({
  to,
  data: hex(encodeFunctionData({ abi: functions, functionName: 'balanceOf', args: [holder] })),
})

/** ERC-1155. */
export const itemBalanceCall = (to: Address, holder: Address, id: bigint): ContractCall => ({
  to,
  data: hex(
    encodeFunctionData({ abi: functionsOfItems, functionName: 'balanceOf', args: [holder, id] }),
  ),
})

export const ownerCall = (to: Address, id: bigint): ContractCall => ({
  to,
  data: hex(encodeFunctionData({ abi: functions, functionName: 'ownerOf', args: [id] })),
})

/** Whether the contract says that it is an ERC-721: then an id without owner has to revert. */
export const isErc721Call = (to: Address): ContractCall => ({
  to,
  data: hex(
    encodeFunctionData({ abi: functions, functionName: 'supportsInterface', args: ['0x80ac58cd'] }),
  ),
})

const returned = (answer: ContractAnswer | undefined): string | null =>
  typeof answer === 'object' ? answer.returned : null

/** Null for whatever is no answer of this type: it may be the contract's choice. */
export const uintOf = (answer: ContractAnswer | undefined): bigint | null =>
  decodeUint(returned(answer))
export const textOf = (answer: ContractAnswer | undefined): string | null =>
  decodeText(returned(answer))
export const decimalsIn = (answer: ContractAnswer | undefined): number | null =>
  decodeDecimals(returned(answer))
export const isTrue = (answer: ContractAnswer | undefined): boolean => decodeBool(returned(answer))

const addressWord = /^0x0{24}([0-9a-f]{40})$/

export function addressOf(answer: ContractAnswer | undefined): Address | null {
  const [, digits] = addressWord.exec(returned(answer) ?? '') ?? []
  return digits === undefined ? null : address(`0x${digits}`)
}
