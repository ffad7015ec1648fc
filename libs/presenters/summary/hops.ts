import { toEventSelector } from 'viem'
import { dataWords, wordOf } from '../../chain/abi-words.ts'
import type { Action, Sum } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import type { LogRow } from '../objects/log.ts'
import type { TransferRow } from '../objects/transfer.ts'
import { type ExecutedTransaction, isWhole } from './executed-transaction.ts'

/** One swap of a pool: what was paid into it, and what it paid out. */
export interface Hop {
  /** Null where only the folded action is known. */
  readonly pool: Address | null
  readonly paid: Sum
  readonly received: Sum
  /** The payer, by the transfers. */
  readonly payers: readonly Address[]
}

/**
 * The swaps of pools, in the order of the logs. A pool's log contains amounts, not tokens: they are
 * the one token that was transferred to the pool since its previous log, and the one transferred
 * from it. If a transaction is too long to be read as a whole, its folded actions are used.
 */
export function hopsOf(executed: ExecutedTransaction, actions: readonly Action[]): readonly Hop[] {
  if (!isWhole(executed)) return actions.flatMap(hopOfAction)
  const { logs, transfers } = executed
  const readBefore = new Map<Address, number>()
  return logs.flatMap((log) => {
    const [topic = ''] = log.topics
    const isSwap = poolSwapTopics.has(topic)
    if (!isSwap && !poolShareTopics.has(topic)) return []
    const after = readBefore.get(log.address) ?? -1
    readBefore.set(log.address, log.logIndex)
    if (!isSwap) return []
    const moved = transfers.filter(
      ({ logIndex, form }) => form === 0 && logIndex > after && logIndex < log.logIndex,
    )
    const hop = hopOf(log.address, moved)
    return hop !== null && isSaid(log, hop) ? [hop] : []
  })
}

function hopOfAction({ type, sums: [paid, received] }: Action): readonly Hop[] {
  if (type !== 'swap' || paid === undefined || received === undefined) return []
  return [{ pool: null, paid, received, payers: [] }]
}

function hopOf(pool: Address, transfers: readonly TransferRow[]): Hop | null {
  const net = new Map<Address, bigint>()
  const payers = new Set<Address>()
  for (const { token, from, to, value } of transfers) {
    // A pool's own token is the share in it, never one of its two.
    if (token === pool || from === to) continue
    if (to === pool) {
      net.set(token, (net.get(token) ?? 0n) + value)
      payers.add(from)
    }
    if (from === pool) net.set(token, (net.get(token) ?? 0n) - value)
  }
  const [paid, morePaid] = [...net].filter(([, amount]) => amount > 0n)
  const [received, moreReceived] = [...net].filter(([, amount]) => amount < 0n)
  if (paid === undefined || received === undefined) return null
  if (morePaid !== undefined || moreReceived !== undefined) return null
  return {
    pool,
    paid: { token: paid[0], amount: paid[1] },
    received: { token: received[0], amount: -received[1] },
    payers: [...payers],
  }
}

/** No pool's event has more. */
const wordsMax = 16

/** Whether the log has one of the amounts: tokens that take a tax spoil the other. */
function isSaid(log: LogRow, { paid, received }: Hop): boolean {
  for (let at = 0; at < Math.min(dataWords(log.data), wordsMax); at++) {
    const word = BigInt(wordOf(log.data, at))
    const amount = BigInt.asIntN(256, word)
    if (word === paid.amount || word === received.amount || -amount === received.amount) return true
  }
  return false
}

/** What several hops do together: all of one token in, all of another out. */
export interface SwapRoute {
  readonly paid: Sum
  readonly received: Sum
}

/** Of a token that hops pass on, how much may stay behind: fees of routers, in parts of 100. */
const leftBehindPercentMax = 2n

/**
 * Hops as one trade: one token is only paid, one is only received, and every other is passed on.
 * Null for anything else, such as trades of several people side by side, or a circle.
 */
export function routeOf(hops: readonly Hop[]): SwapRoute | null {
  const paid = totals(hops.map((hop) => hop.paid))
  const received = totals(hops.map((hop) => hop.received))
  const [source, anotherSource] = [...paid.keys()].filter((token) => !received.has(token))
  const [sink, anotherSink] = [...received.keys()].filter((token) => !paid.has(token))
  if (source === undefined || sink === undefined) return null
  if (anotherSource !== undefined || anotherSink !== undefined) return null
  for (const [token, amount] of received) {
    if (token === sink) continue
    const left = amount - (paid.get(token) ?? 0n)
    if (left < 0n || left * 100n > amount * leftBehindPercentMax) return null
  }
  return {
    paid: { token: source, amount: paid.get(source) ?? 0n },
    received: { token: sink, amount: received.get(sink) ?? 0n },
  }
}

function totals(sums: readonly Sum[]): ReadonlyMap<Address, bigint> {
  const total = new Map<Address, bigint>()
  for (const { token, amount } of sums) total.set(token, (total.get(token) ?? 0n) + amount)
  return total
}

const topicsOf = (signatures: readonly string[]): ReadonlySet<string> =>
  new Set(signatures.map((signature) => toEventSelector(signature)))

/** Swaps of pools that hold their tokens themselves and log after these were moved. */
const poolSwapTopics = topicsOf([
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
const poolShareTopics = topicsOf([
  'Mint(address,uint256,uint256)',
  'Burn(address,uint256,uint256,address)',
  'Mint(address,address,int24,int24,uint128,uint256,uint256)',
  'Collect(address,address,int24,int24,uint128,uint128)',
  'AddLiquidity(address,uint256[2],uint256[2],uint256,uint256)',
  'AddLiquidity(address,uint256[3],uint256[3],uint256,uint256)',
  'RemoveLiquidityOne(address,uint256,uint256)',
])

/** All other events by which exchanges report a swap. */
const otherSwapTopics = topicsOf([
  // Pools whose tokens are held elsewhere.
  'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
  'Swap(bytes32,address,address,uint256,uint256)',
  'Swap(uint256,uint256,address,address,uint256,uint256,address,address,uint256)',
  // Orders, and routers that request prices from makers.
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

/** Whether the log is a swap event of a known exchange. */
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
