import { type Action, actionsPerTransactionMax, type PoolType } from '../../chain/action.ts'
import type { DecodeBudget } from '../abi/decode-budget.ts'
import { addressObject, addressOrNull } from '../address.ts'
import type { Lookups } from '../lookups.ts'
import { actionsIn } from '../objects/actions.ts'
import { logObject } from '../objects/log.ts'
import { statusOf } from '../objects/transaction.ts'
import { calledSelector, callObject, transactionTypes } from '../objects/transaction-row.ts'
import { transferObject } from '../objects/transfer.ts'
import { approvalReadings } from './approvals.ts'
import { coin, tokenAmount } from './asset.ts'
import { bridgeReadings } from './bridges.ts'
import { type ExecutedTransaction, hasAllTransfers } from './executed-transaction.ts'
import { type Flows, flowsOf, moveReadings } from './flows.ts'
import { lendingReadings, liquidationReadings } from './lending.ts'
import { nftTradeReadings } from './nft-trades.ts'
import {
  joined,
  type Part,
  type Reading,
  type Sentence,
  type SummaryContext,
  written,
} from './phrase.ts'
import { requestItemsMax } from './summary-schema.ts'
import { swapCountReadings, swapReadings } from './swaps.ts'
import { wrapReadings } from './wraps.ts'

/** Bound of the sentences of one transaction, most specific first; clients show the first. */
const summariesMax = 5

/** What a transaction did, in sentences; null for one that did not succeed. */
export function summaryObject(
  executed: ExecutedTransaction,
  readings: readonly Reading[],
  context: SummaryContext,
) {
  if (executed.transaction.status !== 1) return null
  const summaries: Sentence[] = []
  for (const reading of readings) {
    if (summaries.length === summariesMax) break
    if (reading.holds?.(context) ?? true) summaries.push(written(reading, context))
  }
  return { success: true, data: { summaries } }
}

/**
 * All readings of a transaction, the most specific first. Each contains only what the transaction
 * and its logs prove: where they do not, the next one is more general.
 * @param budget of the page, from which logs are decoded before anything is looked up
 */
export function readingsOf(
  executed: ExecutedTransaction,
  budget: DecodeBudget,
): readonly Reading[] {
  const { transaction } = executed
  if (transaction.status !== 1) return []
  const call = callReading(executed)
  if (transaction.to === null) return call === null ? [] : [call]
  const moved = hasAllTransfers(executed)
    ? movedReadings(executed, flowsOf(transaction.from, executed), budget)
    : []
  const readings = moved.length > 0 ? moved : approvalReadings(executed)
  return call === null ? readings : [...readings, call]
}

function movedReadings(
  executed: ExecutedTransaction,
  flows: Flows,
  budget: DecodeBudget,
): readonly Reading[] {
  const actions = actionsIn(executed.transaction)
  const specific = [
    ...nftTradeReadings(executed, flows, budget),
    ...liquidationReadings(executed, actions),
    ...lendingReadings(executed, flows),
    ...swapReadings({ executed, actions, flows }),
    ...liquidityReadings(actions, flows),
  ]
  if (specific.length > 0) return specific
  const moves = moveReadings(flows)
  const general = moves.length > 0 ? moves : swapCountReadings(executed, actions)
  // Whether these hold is known by labels only.
  return [...bridgeReadings(executed, flows), ...wrapReadings(executed), ...general]
}

/** The reading that every transaction has: what it created, called or sent coins to. */
function callReading({ transaction }: ExecutedTransaction): Reading | null {
  const { to, value, createdContract } = transaction
  const amount: Part = { asset: coin(value) }
  if (to === null) {
    if (createdContract === null) return null
    return { verb: 'Created', parts: [{ created: createdContract }] }
  }
  const selector = calledSelector(transaction)
  if (selector === null) {
    return { verb: 'Transferred', parts: [amount, 'to', { address: ['to_address', to] }] }
  }
  const called: readonly Part[] = [
    { call: { to, input: transaction.input, selector } },
    'on',
    { address: ['contract', to] },
  ]
  return { verb: 'Called', parts: value === 0n ? called : [...called, 'with', amount] }
}

/** What was put into a pool or taken out of it; of a position of fees too. */
function liquidityReadings(actions: readonly Action[], flows: Flows): readonly Reading[] {
  if (actions.length >= actionsPerTransactionMax) return []
  // A bot that trades around others' trades, or a token that sells its own fees.
  const isSideEffect = flows.received.length === 0 && actions.some(({ type }) => type === 'swap')
  if (isSideEffect) return []
  const [added, taken] = [only(actions, 'mint'), only(actions, 'burn')]
  const collected = only(actions, 'collect')
  if (added !== null) return taken === null ? [reading('Added', added, 'of liquidity')] : []
  // Newer pools only book what is burned: what comes out, fees with it, is collected.
  if (collected !== null) {
    return [
      taken === null
        ? reading('Collected', collected, 'from a pool')
        : reading('Removed liquidity and collected', collected),
    ]
  }
  return taken === null ? [] : [reading('Removed', taken, 'of liquidity')]
}

/** The one action of a type; null if there is none, or more than one. */
function only(actions: readonly Action[], type: PoolType): Action | null {
  const [action, another] = actions.filter((at) => at.type === type)
  return action === undefined || another !== undefined ? null : action
}

function reading(verb: string, { sums }: Action, ...rest: readonly string[]): Reading {
  const assets = sums
    .filter(({ amount }) => amount > 0n)
    .map(({ token, amount }) => tokenAmount(token, amount))
  return { verb, parts: [...joined(assets), ...rest] }
}

/** The request to an external interpreter (`just_request_body`); of failed transactions, too. */
export function summaryRequest(
  { transaction, transfers, logs }: ExecutedTransaction,
  chainId: number,
  lookups: Lookups,
) {
  return {
    data: {
      to: addressOrNull(transaction.to, lookups),
      from: addressObject(transaction.from, lookups),
      hash: transaction.hash,
      type: transaction.type,
      value: transaction.value.toString(),
      status: statusOf(transaction),
      transaction_types: transactionTypes(transaction, lookups),
      raw_input: transaction.input,
      ...callObject(transaction, lookups),
      token_transfers: transfers.slice(0, requestItemsMax).map((at) => transferObject(at, lookups)),
      internal_transactions: [],
    },
    logs_data: {
      items: logs.slice(0, requestItemsMax).map((at) => logObject(at, lookups)),
    },
    chain_id: chainId,
  }
}
