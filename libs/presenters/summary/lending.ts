import type { Action } from '../../chain/action.ts'
import { type Asset, coin, tokens, wrapped } from './asset.ts'
import { sumOf, type Wrappings, wrappingsIn } from './coin-wrapping.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Flows } from './flows.ts'
import { type LendingEvent, lendingEvent } from './lending-events.ts'
import type { Reading } from './phrase.ts'

/** Things done at once that one summary tells, each in a sentence. */
const lendingReadingsMax = 3

/**
 * What the sender supplied, borrowed, repaid, withdrew or staked. A contract's word counts only
 * where the sender gave or got just that amount.
 */
export function lendingReadings({ logs }: ExecutedTransaction, flows: Flows): readonly Reading[] {
  const wrappings = wrappingsIn(logs)
  const readings: Reading[] = []
  for (const log of logs) {
    const event = lendingEvent(log)
    if (event === null || event.amount === 0n) continue
    const asset = event.isPaid ? paidAsset(event, flows) : receivedAsset(event, flows, wrappings)
    if (asset !== null) readings.push(reading(event, asset))
    if (readings.length === lendingReadingsMax) break
  }
  return readings
}

const reading = ({ verb, preposition, contract }: LendingEvent, asset: Asset): Reading => ({
  verb,
  parts: [{ asset }, preposition, { address: ['contract', contract] }],
})

function paidAsset({ contract, token, amount }: LendingEvent, { paid }: Flows): Asset | null {
  const flow = paid.find(({ asset, others }) => {
    if (asset.kind === 'coin') return asset.amount === amount
    if (asset.kind !== 'tokens' || asset.amount !== amount) return false
    return token === null ? others.includes(contract) : asset.token === token
  })
  return flow?.asset.kind === 'coin' ? coin(amount) : (flow?.asset ?? null)
}

function receivedAsset(
  { contract, token, amount }: LendingEvent,
  { received }: Flows,
  { unwrapped }: Wrappings,
): Asset | null {
  const flow = received.find(
    ({ asset, others }) =>
      asset.kind === 'tokens' &&
      asset.amount === amount &&
      (token === null ? others.includes(contract) : asset.token === token),
  )
  if (flow !== undefined) return flow.asset
  const isUnwrapped = token !== null && sumOf(unwrapped, token) === amount
  return isUnwrapped && received.length === 0 ? wrapped(token, amount) : null
}

/** A loan that was paid back for its collateral, where transfers bear the amounts out. */
export function liquidationReadings(
  { transfers }: ExecutedTransaction,
  actions: readonly Action[],
): readonly Reading[] {
  const moved = new Set(transfers.map(({ token, value }) => `${token} ${value}`))
  const amounts = new Set(transfers.map(({ value }) => value))
  return actions.flatMap(({ type, sums: [debt, collateral] }): readonly Reading[] => {
    if (type !== 'liquidation_call' || debt === undefined || collateral === undefined) return []
    // The collateral may be handed over as the market's own token.
    if (!moved.has(`${debt.token} ${debt.amount}`) || !amounts.has(collateral.amount)) return []
    return [
      {
        verb: 'Liquidated',
        parts: [
          'a loan: repaid',
          { asset: tokens(debt.token, debt.amount), prefix: 'debt_' },
          'for',
          { asset: tokens(collateral.token, collateral.amount), prefix: 'collateral_' },
        ],
      },
    ]
  })
}
