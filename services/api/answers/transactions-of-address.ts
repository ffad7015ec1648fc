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
import { Needs } from '../needs.ts'
import { addressRoute, cut, type Reader } from '../route.ts'
import { splicedConfirmations } from '../splices.ts'

export const transactionsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { size, ...list } = asked
    const limit = size + 1
    const rows = await reader.asks.transactionsOfAddress({ address: subject, ...list, limit })
    const { shown, more } = cut(rows, size)
    const [transfers] = await Promise.all([
      firstTransfers(shown, reader),
      // Remembered meanwhile: what the transfers name besides is little.
      reader.know(new Needs().parties(shown).actions(shown)),
    ])
    const needs = new Needs().transactions(shown).actions(shown)
    for (const first of transfers.values()) needs.transfers(first.slice(0, shownTransfersMax))
    const known = await reader.know(needs)
    const items = shown.map((row) => ({
      ...transactionObject(row, transfers.get(row.hash) ?? [], known),
      confirmations: splicedConfirmations(row.blockNumber),
    }))
    const body = { items, next_page_params: more && cursorAfter(more.last, asked) }
    return { body, isSpliced: true, turns: shown.map(historyBegins) }
  },
})

/** Asked only of transactions that have transfers. */
async function firstTransfers(
  rows: readonly TransactionRow[],
  { asks }: Reader,
): Promise<ReadonlyMap<Hash, readonly TransferRow[]>> {
  const hashes = rows.filter((row) => row.transfersCount > 0).map((row) => row.hash)
  return asks.firstTransfers(hashes, shownTransfersMax)
}
