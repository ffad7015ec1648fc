import { actionsIn } from '../actions.ts'
import { approvalReadings } from './approvals.ts'
import { bridgeReadings } from './bridges.ts'
import { callReading } from './calls.ts'
import { type ExecutedTransaction, hasAllTransfers } from './executed-transaction.ts'
import { type Flows, flowsOf } from './flows.ts'
import { lendingReadings, liquidationReadings } from './lending.ts'
import { liquidityReadings } from './liquidity.ts'
import { nftTradeReadings } from './nft-trades.ts'
import { type Reading, type Sentence, type SummaryContext, written } from './phrase.ts'
import { swapCountReadings, swapReadings } from './swaps.ts'
import { moveReadings } from './token-moves.ts'
import { wrapReadings } from './wraps.ts'

/** Sentences of one transaction, the most telling first; clients show the first. */
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
 * All that can be said of a transaction, the most specific first. Each says only what the
 * transaction and its logs bear out: where they do not, the next one is more general.
 */
export function readingsOf(executed: ExecutedTransaction): readonly Reading[] {
  const { transaction } = executed
  if (transaction.status !== 1) return []
  const call = callReading(executed)
  if (transaction.to === null) return call === null ? [] : [call]
  const moved = hasAllTransfers(executed)
    ? movedReadings(executed, flowsOf(transaction.from, executed))
    : []
  const readings = moved.length > 0 ? moved : approvalReadings(executed)
  return call === null ? readings : [...readings, call]
}

function movedReadings(executed: ExecutedTransaction, flows: Flows): readonly Reading[] {
  const actions = actionsIn(executed.transaction)
  const specific = [
    ...nftTradeReadings(executed, flows),
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
