import type { Hash } from '../../../libs/chain/hex.ts'
import {
  cursorAfter,
  pageRequest,
} from '../../../libs/presenters/cursors/transactions-of-address.ts'
import { transactionsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import {
  historyBegins,
  shownTransfersMax,
  transactionObject,
} from '../../../libs/presenters/transaction.ts'
import type { TransactionRow } from '../../../libs/presenters/transaction-row.ts'
import type { TransferRow } from '../../../libs/presenters/transfer.ts'
import { firstTransfersOf } from '../../../libs/queries/first-transfers.ts'
import { transactionsOfAddress } from '../../../libs/queries/transactions-of-address.ts'
import { listPage, pageBytesMax } from '../render/list-page.ts'
import { References } from '../render/references.ts'
import { splicedConfirmations } from '../render/splices.ts'
import { addressRoute, type Reader } from './route.ts'

export const transactionsOfAddressRoute = addressRoute({
  endpoint,
  pageRequest,
  answer: async ({ subject, requested }, reader) => {
    const { size, ...list } = requested
    const wanted = { address: subject, ...list, limit: size + 1, bytesMax: pageBytesMax }
    const rows = await reader.read(transactionsOfAddress, wanted)
    const { template, shown } = await listPage({
      rows,
      size,
      bytesOf: ({ input }) => input.length,
      async present(some) {
        const item = await itemOf(some, reader)
        return { item, cursorAfter: ({ last }) => cursorAfter(last, requested) }
      },
    })
    return { template, isSpliced: true, transitionTimes: shown.map(historyBegins) }
  },
})

/** Renders each of these transactions. */
async function itemOf(rows: readonly TransactionRow[], reader: Reader) {
  const [transfers] = await Promise.all([
    firstTransfers(rows, reader),
    // Fills the row cache meanwhile: the transfers add few further references.
    reader.lookUp(new References().parties(rows).actions(rows)),
  ])
  const references = new References().transactions(rows).actions(rows)
  for (const first of transfers.values()) references.transfers(first.slice(0, shownTransfersMax))
  const lookups = await reader.lookUp(references)
  return (row: TransactionRow) => ({
    ...transactionObject(row, transfers.get(row.hash) ?? [], lookups),
    confirmations: splicedConfirmations(row.blockNumber),
  })
}

/** Reads only transactions that have transfers. */
async function firstTransfers(
  rows: readonly TransactionRow[],
  { read }: Reader,
): Promise<ReadonlyMap<Hash, readonly TransferRow[]>> {
  const hashes = rows.filter((row) => row.transfersCount > 0).map((row) => row.hash)
  return read(firstTransfersOf, { hashes, limitPerTransaction: shownTransfersMax })
}
