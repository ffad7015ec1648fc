import { coin, tokens } from './asset.ts'
import { wrappingsIn } from './coin-wrapping.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Reading, SummaryContext } from './phrase.ts'
import { isWrappedCoin } from './wrapped-coins.ts'

/** Coins that the sender itself wrapped or unwrapped, at the contract that it called. */
export function wrapReadings({ transaction, logs }: ExecutedTransaction): readonly Reading[] {
  const { from, to, value } = transaction
  if (to === null) return []
  const { wrapped, unwrapped } = wrappingsIn(logs.filter(({ address }) => address === to))
  const [deposit, anotherDeposit] = wrapped
  const [withdrawal, anotherWithdrawal] = unwrapped
  if (anotherDeposit !== undefined || anotherWithdrawal !== undefined) return []
  const holds = ({ lookups, chainId }: SummaryContext) => isWrappedCoin(to, lookups, chainId)
  const asksAbout = [to]
  if (deposit?.account === from && withdrawal === undefined && deposit.amount === value) {
    return [{ verb: 'Wrapped', parts: [{ asset: coin(value) }], holds, asksAbout }]
  }
  if (withdrawal?.account === from && deposit === undefined) {
    return [
      { verb: 'Unwrapped', parts: [{ asset: tokens(to, withdrawal.amount) }], holds, asksAbout },
    ]
  }
  return []
}
