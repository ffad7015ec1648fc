import { type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/table.ts'
import { transfersByTransaction as table } from '../../tables/transfers.ts'
import { batch } from '../batch.ts'
import { query } from '../query.ts'
import { question } from '../question.ts'
import { groupBy } from '../read-by-keys.ts'
import { currentRows, withoutLastGroup } from '../read-list.ts'
import { transfersOfTransaction } from './transfers-of-transaction.ts'

type Transfer = Row<typeof table>

/** Reads each transaction whole: the budget is that of fifty ordinary ones. */
export const firstTransfers = query({
  file: new URL('./first-transfers.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 16_000_000 },
})

/** Rows in addition to the requested ones, for versions that are not merged yet. */
const slackRows = 4
/** Transactions per query; a page has fewer. */
const transactionsMax = 1_000

export interface FirstTransfers {
  readonly hashes: readonly Hash[]
  readonly limitPerTransaction: number
}

/** The first transfers of each transaction, in the order of its own list; none: missing. */
export const firstTransfersOf = question({
  table,
  subjects: ({ hashes }: FirstTransfers) => hashes,
  read: readTransfers,
  batch: batch({
    keysOf: ({ hashes, limitPerTransaction }: FirstTransfers) =>
      hashes.map((hash) => ({ hash, limitPerTransaction })),
    idOf: ({ hash, limitPerTransaction }: FirstTransfersKey) => `${limitPerTransaction}|${hash}`,
    read: readTogether,
    keysMax: transactionsMax,
    resultOf: (found, { hashes, limitPerTransaction }) =>
      new Map(
        hashes.flatMap((hash) => {
          const transfers = found.get(`${limitPerTransaction}|${hash}`)
          return transfers === undefined ? [] : [[hash, transfers] as const]
        }),
      ),
  }),
})

interface FirstTransfersKey {
  readonly hash: Hash
  readonly limitPerTransaction: number
}

/** One query for each limit: there is one, but for tests. */
async function readTogether(
  store: Store,
  keys: readonly FirstTransfersKey[],
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const found = new Map<string, readonly Transfer[]>()
  for (const [limitPerTransaction, some] of groupBy(keys, (key) => key.limitPerTransaction)) {
    const hashes = some.map(({ hash }) => hash)
    const transfers = await readTransfers(store, { hashes, limitPerTransaction })
    for (const [hash, rows] of transfers) found.set(`${limitPerTransaction}|${hash}`, rows)
  }
  return found
}

async function readTransfers(
  store: Store,
  { hashes, limitPerTransaction }: FirstTransfers,
): Promise<ReadonlyMap<Hash, readonly Transfer[]>> {
  const wanted = [...new Set(hashes)]
  if (wanted.length === 0) return new Map()
  if (wanted.length > transactionsMax) throw new Error(`more than ${transactionsMax} transactions`)
  const rowsMax = limitPerTransaction + slackRows
  const rows = await firstTransfers.run(store, { hashes: wanted.map(withoutPrefix), rowsMax })
  const found = await Promise.all(
    [...groupBy(rows, (row) => row.transactionHash)].map(async ([hash, versions]) => {
      const isWhole = versions.length < rowsMax
      const complete = isWhole ? versions : withoutLastGroup(versions, table.keyOf)
      const first = currentRows(table, complete, complete)
      if (isWhole || first.length >= limitPerTransaction) {
        return [hash, first.slice(0, limitPerTransaction)] as const
      }
      const list = { hash, filter: null, after: null, limit: limitPerTransaction }
      return [hash, await transfersOfTransaction(store, list)] as const
    }),
  )
  return new Map(found.filter(([, transfers]) => transfers.length > 0))
}
