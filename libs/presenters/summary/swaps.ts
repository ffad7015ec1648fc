import { type Action, actionsPerTransactionMax, type Sum } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import { type Tokens, tokenAmount, type Wrapped, wrapped } from './asset.ts'
import { dexOf } from './dexes.ts'
import { type ExecutedTransaction, isWhole } from './executed-transaction.ts'
import { type Flow, type Flows, flowsOf, isBurned, isMinted, NetChanges } from './flows.ts'
import { type Hop, hopsOf, isReportOf, isSwapLog, routeOf, type SwapRoute } from './hops.ts'
import type { Part, Reading } from './phrase.ts'
import { sumOf, unwrappedAgain, type Wrappings, wrappingsIn } from './wraps.ts'

type Swapped = Tokens | Wrapped

interface Trade {
  readonly paid: Swapped
  readonly received: Swapped
}

interface Evidence {
  readonly executed: ExecutedTransaction
  readonly actions: readonly Action[]
  readonly flows: Flows
}

/** What was swapped for what, hops summed up; none if one sentence cannot describe it. */
export function swapReadings({ executed, actions, flows }: Evidence): readonly Reading[] {
  const hops = hopsOf(executed, actions)
  const wrappings = wrappingsIn(executed.logs)
  const trade =
    (areAll(executed, actions) ? tradeOf(executed, { hops, flows, wrappings }) : null) ??
    exchanged(executed, flows, wrappings)
  if (trade === null) return soldReadings(hops, executed, flows)
  const dex = dexOf(hops, swapsCount(executed, hops, trade))
  const place: readonly Part[] = dex === null ? [] : ['on', { dex }]
  const paid: Part = { asset: trade.paid, prefix: 'in_' }
  const received: Part = { asset: trade.received, prefix: 'out_' }
  return [{ verb: 'Swapped', parts: [paid, 'for', received, ...place] }]
}

/** Logs of swaps, without those that report the sum of other hops. */
function swapsCount({ logs }: ExecutedTransaction, hops: readonly Hop[], trade: Trade): number {
  const swaps = logs.filter(isSwapLog)
  const { paid, received } = trade
  const isOfHops =
    totalOf(
      hops.map((hop) => hop.paid),
      paid.token,
    ) === paid.amount &&
    totalOf(
      hops.map((hop) => hop.received),
      received.token,
    ) === received.amount
  if (!isOfHops) return swaps.length
  return swaps.filter((log) => !isReportOf(log, [paid.amount, received.amount])).length
}

const totalOf = (sums: readonly Sum[], token: Address): bigint =>
  sums.reduce((total, sum) => (sum.token === token ? total + sum.amount : total), 0n)

/** All that the sender gave went into pools, and the result is unknown. */
function soldReadings(
  hops: readonly Hop[],
  { transaction }: ExecutedTransaction,
  { paid: [gave, gaveMore], received }: Flows,
): readonly Reading[] {
  if (gave?.asset.kind !== 'tokens' || gaveMore !== undefined || received.length > 0) return []
  const { token, amount } = gave.asset
  if (hops.some((hop) => hop.received.token === token)) return []
  const sold = ownHops(transaction.from, hops).filter(({ paid }) => paid.token === token)
  const total = sold.reduce((sum, { paid }) => sum + paid.amount, 0n)
  return isNearly(total, amount) ? [{ verb: 'Swapped', parts: [{ asset: gave.asset }] }] : []
}

/** How many swaps there were. */
export function swapCountReadings(
  executed: ExecutedTransaction,
  actions: readonly Action[],
): readonly Reading[] {
  const { length } = hopsOf(executed, actions)
  if (length === 0) return []
  const count = areAll(executed, actions) ? `${length}` : `at least ${length}`
  return [{ verb: 'Made', parts: [{ text: ['count', count] }, length === 1 ? 'swap' : 'swaps'] }]
}

const areAll = (executed: ExecutedTransaction, actions: readonly Action[]): boolean =>
  isWhole(executed) || actions.length < actionsPerTransactionMax

interface Traded {
  readonly hops: readonly Hop[]
  readonly flows: Flows
  readonly wrappings: Wrappings
}

/** Whose trade a route is. */
interface Trader extends Omit<Traded, 'hops'> {
  readonly changes: NetChanges
}

/** By the sender's flows; where it has none, by those of the contract that it called. */
function tradeOf(executed: ExecutedTransaction, { hops, flows, wrappings }: Traded): Trade | null {
  const { from, to } = executed.transaction
  const changes = new NetChanges(executed.transfers)
  const hasTokens = [...flows.paid, ...flows.received].some(({ asset }) => asset.kind !== 'coin')
  const isPayingCoins = flows.paid.length > 0 && wrappings.wrapped.length > 0
  if (hasTokens || isPayingCoins) {
    const route = routeOf(ownHops(from, hops))
    return route && routed(route, { flows, wrappings, changes })
  }
  // What is no hop may be the way back.
  const areHops = executed.logs.filter(isSwapLog).length === hops.length
  const route = areHops && to !== null ? routeOf(ownHops(to, hops)) : null
  return route && to && routed(route, { flows: flowsOf(to, executed), wrappings, changes })
}

/**
 * Without the hops of others amid those of an account: tokens sell what they took as a fee, and
 * where the account itself paid a token into pools, others that paid that token are others.
 */
function ownHops(account: Address, hops: readonly Hop[]): readonly Hop[] {
  const foreign = hops.filter(({ paid, payers }) => !payers.includes(paid.token))
  const isOwn = ({ payers }: Hop) => payers.includes(account)
  const own = new Set(foreign.filter(isOwn).map(({ paid }) => paid.token))
  return foreign.filter((hop) => isOwn(hop) || !own.has(hop.paid.token))
}

/** The trade of a route in terms of an account; null if the account's flows contradict it. */
function routed(route: SwapRoute, trader: Trader): Trade | null {
  const paid = paidInto(route, trader)
  const received = receivedFrom(route, trader)
  return paid === null || received === null ? null : { paid, received }
}

function tokensIn(flows: readonly Flow[], token: Address): Tokens | null {
  for (const { asset } of flows) if (asset.kind === 'tokens' && asset.token === token) return asset
  return null
}

/** What routers may keep of coins on the way, in parts of 100. */
const routerFeePercentMax = 5n

const isNearly = (amount: bigint, whole: bigint): boolean =>
  amount <= whole && amount * 100n >= whole * (100n - routerFeePercentMax)

function paidInto(
  { paid: { token, amount } }: SwapRoute,
  { flows: { paid, received }, wrappings, changes }: Trader,
): Swapped | null {
  const own = tokensIn(paid, token)
  const rest = paid.filter(({ asset }) => asset !== own && asset.kind !== 'coin')
  if (rest.length > 0) return null
  if (own !== null) return own
  const coins = paid.find(({ asset }) => asset.kind === 'coin')?.asset
  const deposits = sumOf(wrappings.wrapped, token)
  if (coins?.kind !== 'coin' || deposits === 0n) {
    // Coins that were spent otherwise: logs of pools do not show what they were given for.
    const isOfCoins = coins !== undefined && received.length > 0
    return isOfCoins || !changes.isOnlyPaid(token) ? null : tokenAmount(token, amount)
  }
  const spent = deposits - unwrappedAgain(wrappings, token)
  const isPaid = amount <= coins.amount && amount <= deposits
  return isPaid && (amount >= spent || isNearly(amount, spent)) ? wrapped(token, amount) : null
}

function receivedFrom(
  { received: { token, amount } }: SwapRoute,
  { flows: { received }, wrappings: { unwrapped }, changes }: Trader,
): Swapped | null {
  const own = tokensIn(received, token)
  if (own !== null) return own
  if (received.length > 0) return null
  const amounts = unwrapped.filter((one) => one.token === token).map((one) => one.amount)
  // What went on from there may have become something else.
  if (amounts.length === 0) return changes.isOnlyReceived(token) ? tokenAmount(token, amount) : null
  // Others may unwrap beside: the whole at once or in parts, else what a router left of it.
  const possible = [...amounts, sumOf(unwrapped, token)]
  const coins =
    possible.find((one) => one === amount) ?? possible.find((one) => isNearly(one, amount))
  return coins === undefined ? null : wrapped(token, coins)
}

/** One asset for another, if an exchange logged a swap; mints and burns are not swaps. */
function exchanged(
  { logs }: ExecutedTransaction,
  { paid, received }: Flows,
  wrappings: Wrappings,
): Trade | null {
  const [gave, ...gaveMore] = paid
  const [got, ...gotMore] = received
  if (gave === undefined || got === undefined) return null
  if (gaveMore.length > 0 || gotMore.length > 0) return null
  if (!logs.some(isSwapLog) || isBurned(gave) || isMinted(got)) return null
  if (got.asset.kind !== 'tokens') return null
  const paidAsset = spent(gave, wrappings)
  return paidAsset === null ? null : { paid: paidAsset, received: got.asset }
}

/** Of coins what was wrapped, if none of it was unwrapped again: that may have come back. */
function spent({ asset }: Flow, wrappings: Wrappings): Swapped | null {
  if (asset.kind === 'tokens') return asset
  if (asset.kind !== 'coin') return null
  const [token, another] = new Set(wrappings.wrapped.map((deposit) => deposit.token))
  if (token === undefined || another !== undefined) return null
  const amount = sumOf(wrappings.wrapped, token)
  const isSpent = amount <= asset.amount && unwrappedAgain(wrappings, token) === 0n
  return isSpent ? wrapped(token, amount) : null
}
