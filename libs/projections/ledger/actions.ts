import { type Action, actionsPerTransactionMax, type Sum } from '../../chain/action.ts'
import type { TransactionLog } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'
import type { Transfer } from '../../chain/token.ts'
import {
  type ActionLog,
  actionLog,
  type LendingLog,
  type PoolLog,
  type Side,
} from './action-logs.ts'

/** Logs of one transaction above which nothing is derived: that takes a second for a million. */
const explainedLogsMax = 20_000

/**
 * What a transaction did with the known lending protocols and pools, in the order of its logs. What
 * cannot be derived for certain from its logs and transfers is omitted (decision 13).
 *
 * @param transfers taken only if there is the log of a pool
 */
export function actionsOf(
  logs: readonly TransactionLog[],
  transfers: Iterable<Transfer>,
): Action[] {
  if (logs.length > explainedLogsMax) return []
  const actionLogs: ActionLog[] = []
  for (const log of logs) {
    const one = actionLog(log)
    if (one !== null) actionLogs.push(one)
  }
  return actionLogs.length === 0 ? [] : explained(actionLogs, transfers)
}

/** As the column `actions` holds it: amounts as decimal strings. */
export const actionsText = (actions: readonly Action[]): string =>
  actions.length === 0
    ? '[]'
    : JSON.stringify(actions, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )

function explained(logs: readonly ActionLog[], transfers: Iterable<Transfer>): Action[] {
  const pooled = logs.filter((log) => log.kind === 'pool')
  const tokens = pooled.length === 0 ? null : poolTokens(pooled, transfers)
  const actions: Action[] = []
  // A lending protocol burns its own token right before it logs the reason.
  let burned: LendingLog['protocol'] = null
  for (const log of logs) {
    if (actions.length === actionsPerTransactionMax) break
    if (log.kind === 'generation') {
      burned = log.protocol
      continue
    }
    const action =
      log.kind === 'pool' ? poolAction(log, tokens?.get(log.pool)) : lendingAction(log, burned)
    if (action !== null) actions.push(action)
  }
  return actions
}

function lendingAction(log: LendingLog, burned: LendingLog['protocol']): Action | null {
  const protocol = log.protocol ?? burned
  return protocol === null ? null : { protocol, type: log.type, sums: log.sums }
}

function poolAction(log: PoolLog, tokens: PoolTokens | undefined): Action | null {
  if (tokens === undefined) return null
  const { protocol, type } = log
  const [first, second] = changesOf(log, tokens)
  if (type !== 'swap') {
    // A burn of nothing only asks the pool to book its fees.
    const isNothing = first.amount === 0n && second.amount === 0n
    return isNothing ? null : { protocol, type, sums: [absolute(first), absolute(second)] }
  }
  if (first.amount > 0n && second.amount < 0n)
    return { protocol, type, sums: [first, absolute(second)] }
  if (second.amount > 0n && first.amount < 0n)
    return { protocol, type, sums: [second, absolute(first)] }
  return null
}

/** How much more of its tokens the pool has; below zero where it paid. */
function changesOf({ sides: [one, other] }: PoolLog, tokens: PoolTokens): readonly [Sum, Sum] {
  return [
    { token: tokens[0], amount: one.taken - one.paid },
    { token: tokens[1], amount: other.taken - other.paid },
  ]
}

const absolute = ({ token, amount }: Sum): Sum => ({
  token,
  amount: amount < 0n ? -amount : amount,
})

/** A pool's two tokens in its order, which is that of their addresses. */
export type PoolTokens = readonly [Address, Address]

/** Tokens that may have moved in one amount; with more of them the tokens of a pool are unknown. */
const tokensPerAmountMax = 8

/**
 * The tokens of the pools of one transaction. A pool's log contains amounts, not tokens: they are
 * those that were transferred to and from the pool, since its previous log, in exactly these
 * amounts, at once or in sum (a tax may be a separate transfer). A pool is omitted if that explains
 * none of its logs, or more than one pair of tokens.
 * @param logs and
 * @param transfers in the order of the transaction.
 */
export function poolTokens(
  logs: readonly PoolLog[],
  transfers: Iterable<Transfer>,
): ReadonlyMap<Address, PoolTokens> {
  const transfersOfPool = transfersByPool(new Set(logs.map(({ pool }) => pool)), transfers)
  const possible = new Map<Address, readonly PoolTokens[]>()
  for (const log of logs) {
    const moved = movedBefore(log, transfersOfPool.get(log.pool))
    const pairs = log.isMoved ? pairsOf(log.sides, moved) : []
    if (pairs.length === 0) continue
    const before = possible.get(log.pool)
    possible.set(log.pool, before === undefined ? pairs : before.filter((one) => has(pairs, one)))
  }
  const known = new Map<Address, PoolTokens>()
  for (const [pool, [pair, another]] of possible) {
    if (pair !== undefined && another === undefined) known.set(pool, pair)
  }
  return known
}

const has = (pairs: readonly PoolTokens[], [first, second]: PoolTokens): boolean =>
  pairs.some((pair) => pair[0] === first && pair[1] === second)

/** Transfers not yet counted to a log, the next one last. */
type Waiting = Transfer[]

function transfersByPool(
  pools: ReadonlySet<Address>,
  transfers: Iterable<Transfer>,
): ReadonlyMap<Address, Waiting> {
  const waiting = new Map([...pools].map((pool): [Address, Waiting] => [pool, []]))
  for (const transfer of transfers) {
    const { form, token, from, to } = transfer
    if (form !== 'ERC-20') continue
    // A pool's own token is the share in it, never one of the two.
    if (from !== token) waiting.get(from)?.push(transfer)
    if (to !== token && to !== from) waiting.get(to)?.push(transfer)
  }
  for (const ofPool of waiting.values()) ofPool.reverse()
  return waiting
}

/** What one way of a token to or from a pool was used for. */
interface Sums {
  /** As text: bigints of an author's choice can take seconds to look up. */
  readonly single: Set<string>
  total: bigint
}

interface Moved {
  readonly taken: Sums
  readonly paid: Sums
}

const nothing = (): Sums => ({ single: new Set(), total: 0n })

/** Takes off what waits for a pool's log, by token. */
function movedBefore({ pool, index }: PoolLog, waiting: Waiting = []): Map<Address, Moved> {
  const moved = new Map<Address, Moved>()
  for (let next = waiting.at(-1); next && next.logIndex < index; next = waiting.at(-1)) {
    waiting.pop()
    const one = moved.get(next.token) ?? { taken: nothing(), paid: nothing() }
    moved.set(next.token, one)
    if (next.to === pool) add(one.taken, next.value)
    if (next.from === pool) add(one.paid, next.value)
  }
  return moved
}

function add(sums: Sums, amount: bigint): void {
  sums.single.add(textOf(amount))
  sums.total += amount
}

/** All pairs that explain what both sides did; none where a side did nothing. */
function pairsOf([one, other]: PoolLog['sides'], moved: Map<Address, Moved>): PoolTokens[] {
  const seconds = tokensOf(other, moved)
  return tokensOf(one, moved).flatMap((first) =>
    seconds.filter((second) => first < second).map((second): PoolTokens => [first, second]),
  )
}

function tokensOf({ taken, paid }: Side, moved: Map<Address, Moved>): Address[] {
  if (taken === 0n && paid === 0n) return []
  const tokens: Address[] = []
  for (const [token, sums] of moved) {
    if (explains(sums.taken, taken) && explains(sums.paid, paid)) tokens.push(token)
  }
  return tokens.length > tokensPerAmountMax ? [] : tokens
}

const explains = ({ single, total }: Sums, amount: bigint): boolean =>
  amount === 0n || single.has(textOf(amount)) || total === amount

const textOf = (amount: bigint): string => amount.toString(16)
