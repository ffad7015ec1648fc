import { addressObject, addressOrNull } from '../address.ts'
import { logObject } from '../log.ts'
import type { Lookups } from '../lookups.ts'
import { statusOf } from '../transaction.ts'
import { callObject } from '../transaction-call.ts'
import { transactionTypes } from '../transaction-types.ts'
import { transferObject } from '../transfer.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'

/** Transfers and logs that the request holds, each. */
export const requestItemsMax = 50

/** What an external interpreter would be asked (`just_request_body`); failed ones too. */
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
