import { type Action, actionsPerTransactionMax, type Sum } from '../chain/action.ts'
import type { Log } from '../chain/block.ts'
import type { Transfer } from '../chain/transfer.ts'
import { type ActionLog, actionLog, type LendingLog, type PoolLog } from './action-logs.ts'
import { type PoolTokens, poolTokens } from './pool-tokens.ts'

/**
 * What a transaction did with the known lending protocols and pools, in the order of its logs. What
 * cannot be derived for certain from its logs and transfers is omitted (decision 13).
 */
export function actionsOf(logs: readonly Log[], transfers: readonly Transfer[]): Action[] {
  const told: ActionLog[] = []
  for (const log of logs) {
    const one = actionLog(log)
    if (one !== null) told.push(one)
  }
  return told.length === 0 ? [] : explained(told, transfers)
}

/** As the column `actions` holds it: amounts as decimal strings. */
export const actionsText = (actions: readonly Action[]): string =>
  actions.length === 0
    ? '[]'
    : JSON.stringify(actions, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )

function explained(told: readonly ActionLog[], transfers: readonly Transfer[]): Action[] {
  const pooled = told.filter((log) => log.kind === 'pool')
  const tokens = pooled.length === 0 ? null : poolTokens(pooled, transfers)
  const actions: Action[] = []
  // A lending protocol burns its own token right before it logs the reason.
  let burned: LendingLog['protocol'] = null
  for (const log of told) {
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
