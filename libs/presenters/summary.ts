import { addressObject } from './address.ts'
import type { Deed } from './deed.ts'
import type { Known, KnownToken } from './known.ts'
import { approvalSentences } from './summary-approvals.ts'
import { type Sentence, shownAmount, text } from './summary-sentence.ts'
import { transferSentences } from './summary-transfers.ts'
import { transactionMethod } from './transaction.ts'
import type { TransactionRow } from './transaction-row.ts'

/** Readings of one transaction, the likeliest first; clients show the first. */
const summariesMax = 5

/** What a transaction did, in sentences; null for one that did not succeed. */
export function summaryObject(deed: Deed, known: Known) {
  if (deed.transaction.status !== 1) return null
  return { success: true, data: { summaries: sentences(deed, known).slice(0, summariesMax) } }
}

/** What says most comes first: a creation, then tokens, then approvals, then coins and calls. */
function sentences(deed: Deed, known: Known): readonly Sentence[] {
  const { transaction } = deed
  if (transaction.to === null) return creation(transaction, known)
  const moved = transferSentences(deed, known)
  if (moved.length > 0) return moved
  const approved = approvalSentences(deed.logs, known)
  if (approved.length > 0) return approved
  return transaction.input === '0x' || transactionMethod(transaction) === null
    ? [coinTransfer(transaction, transaction.to, known)]
    : [call(transaction, transaction.to, known)]
}

function creation({ createdContract }: TransactionRow, known: Known): readonly Sentence[] {
  if (createdContract === null) return []
  const token: KnownToken | null = known.token(createdContract)
  const contract = { type: 'address', value: addressObject(createdContract, known) } as const
  return [
    {
      summary_template: '{action_type} {contract}',
      summary_template_variables: {
        action_type: text(token === null ? 'Created contract' : 'Created token'),
        contract,
      },
    },
  ]
}

type Recipient = NonNullable<TransactionRow['to']>

/** `{native}` needs no variable: clients write the coin's symbol there. */
const coinTransfer = ({ value }: TransactionRow, to: Recipient, known: Known): Sentence => ({
  summary_template: '{action_type} {amount} {native} to {to_address}',
  summary_template_variables: {
    action_type: text('Transferred'),
    amount: shownAmount(value, 18),
    to_address: { type: 'address', value: addressObject(to, known) },
  },
})

const call = (transaction: TransactionRow, to: Recipient, known: Known): Sentence => ({
  summary_template: '{action_type} {method} on {contract}',
  summary_template_variables: {
    action_type: text('Called'),
    method: { type: 'method', value: transactionMethod(transaction) ?? '' },
    contract: { type: 'address', value: addressObject(to, known) },
  },
})
