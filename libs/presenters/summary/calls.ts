import { calledSelector } from '../transaction-call.ts'
import { coin } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Part, Reading } from './phrase.ts'

/** What can be said of any transaction: what it created, called or sent coins to. */
export function callReading({ transaction }: ExecutedTransaction): Reading | null {
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
