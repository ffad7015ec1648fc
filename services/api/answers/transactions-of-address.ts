import type { Hash } from '../../../libs/chain/hex.ts'
import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/transactions-of-address.ts'
import { transactionsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import {
  historyBegins,
  shownTransfersMax,
  transactionObject,
} from '../../../libs/presenters/transaction.ts'
import type { TransactionRow } from '../../../libs/presenters/transaction-row.ts'
import type { TransferRow } from '../../../libs/presenters/transfer.ts'
import { listPage, pageBytesMax } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute, type Reader } from '../route.ts'
import { splicedConfirmations } from '../splices.ts'

export const transactionsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { size, ...list } = asked
    const wanted = { address: subject, ...list, limit: size + 1, bytesMax: pageBytesMax }
    const rows = await reader.asks.transactionsOfAddress(wanted)
    const { template, shown } = await listPage({
      rows,
      size,
      bytesOf: ({ input }) => input.length,
      async present(some) {
        const item = await itemOf(some, reader)
        return { item, cursorAfter: ({ last }) => cursorAfter(last, asked) }
      },
    })
    return { template, isSpliced: true, turns: shown.map(historyBegins) }
  },
})

/** How each of these transactions is shown. */
async function itemOf(rows: readonly TransactionRow[], reader: Reader) {
  const [transfers] = await Promise.all([
    firstTransfers(rows, reader),
    // Remembered meanwhile: what the transfers name besides is little.
    reader.know(new Needs().parties(rows).actions(rows)),
  ])
  const needs = new Needs().transactions(rows).actions(rows)
  for (const first of transfers.values()) needs.transfers(first.slice(0, shownTransfersMax))
  const known = await reader.know(needs)
  return (row: TransactionRow) => ({
    ...transactionObject(row, transfers.get(row.hash) ?? [], known),
    confirmations: splicedConfirmations(row.blockNumber),
  })
}

/** Asked only of transactions that have transfers. */
async function firstTransfers(
  rows: readonly TransactionRow[],
  { asks }: Reader,
): Promise<ReadonlyMap<Hash, readonly TransferRow[]>> {
  const hashes = rows.filter((row) => row.transfersCount > 0).map((row) => row.hash)
  return asks.firstTransfers(hashes, shownTransfersMax)
}
