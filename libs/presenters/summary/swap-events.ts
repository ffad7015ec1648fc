import { toEventSelector } from 'viem'
import { dataWords, wordOf } from '../../chain/log-words.ts'
import type { LogRow } from '../log.ts'

const topicsOf = (signatures: readonly string[]): ReadonlySet<string> =>
  new Set(signatures.map((signature) => toEventSelector(signature)))

/** Swaps of pools that hold their tokens themselves and log after these were moved. */
export const poolSwapTopics = topicsOf([
  'Swap(address,uint256,uint256,uint256,uint256,address)',
  'Swap(address,address,int256,int256,uint160,uint128,int24)',
  'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
  'Swap(address,address,uint256,uint256,uint256,uint256)',
  'Swap(address,address,bool,bool,uint256,uint256,int32)',
  'DODOSwap(address,address,uint256,uint256,address,address)',
  'TokenExchange(address,int128,uint256,int128,uint256)',
  'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)',
  'TokenExchange(address,uint256,uint256,uint256,uint256)',
])

/** What else such pools log after tokens were moved: shares made and redeemed, fees taken. */
export const poolShareTopics = topicsOf([
  'Mint(address,uint256,uint256)',
  'Burn(address,uint256,uint256,address)',
  'Mint(address,address,int24,int24,uint128,uint256,uint256)',
  'Collect(address,address,int24,int24,uint128,uint128)',
  'AddLiquidity(address,uint256[2],uint256[2],uint256,uint256)',
  'AddLiquidity(address,uint256[3],uint256[3],uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256)',
])

/** All other events by which exchanges say that something was swapped. */
const otherSwapTopics = topicsOf([
  // Pools whose tokens are held elsewhere.
  'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
  'Swap(bytes32,address,address,uint256,uint256)',
  'Swap(uint256,uint256,address,address,uint256,uint256,address,address,uint256)',
  // Orders, and routers that ask makers for a price.
  'Trade(address,address,address,uint256,uint256,uint256,bytes)',
  'Fill(bytes32,address,address,uint256)',
  'TransformedERC20(address,address,address,uint256,uint256)',
  'RfqOrderFilled(bytes32,address,address,address,address,uint128,uint128,bytes32)',
  'OtcOrderFilled(bytes32,address,address,address,address,uint128,uint128)',
  'LimitOrderFilled(bytes32,address,address,address,address,address,uint128,uint128,uint128,uint256,bytes32)',
  'OrderFilled(address,bytes32,uint256)',
  'Swapped(address,address,address,address,uint256,uint256)',
  'Swapped(address,address,address,address,uint256,uint256,uint256,uint256,uint256,address)',
])

/** Whether an exchange says by a log that something was swapped. */
export const isSwapLog = ({ topics: [topic = ''] }: { readonly topics: readonly string[] }) =>
  poolSwapTopics.has(topic) || otherSwapTopics.has(topic)

/** No event of a router has more. */
const routerWordsMax = 16

/** Whether a router's log reports a whole trade by both amounts, beside the logs of its pools. */
export function isReportOf({ topics, data }: LogRow, amounts: readonly [bigint, bigint]): boolean {
  if (!otherSwapTopics.has(topics[0] ?? '')) return false
  const count = Math.min(dataWords(data), routerWordsMax)
  const words = new Set(Array.from({ length: count }, (_, at) => BigInt(wordOf(data, at))))
  return amounts.every((amount) => words.has(amount))
}
