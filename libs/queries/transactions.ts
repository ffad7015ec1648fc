import type { Hash } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/table.ts'
import { transactions as table } from '../tables/transactions.ts'
import { lookUp } from './look-up.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'

export const transactions = query({
  file: new URL('./transactions.sql', import.meta.url),
  table,
  budget: { rowsMax: 4_000, bytesMax: 2_000_000 },
})

/** Null where no canonical block holds it. */
export async function transactionByHash(
  store: Store,
  hash: Hash,
): Promise<Row<typeof table> | null> {
  const parametersOf = (keys: readonly Hash[]) => ({ hashes: keys.map(bare) })
  const [row] = await lookUp(store, { query: transactions, table, parametersOf }, [hash])
  return row ?? null
}
