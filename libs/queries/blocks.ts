import type { Store } from '../ports/store.ts'
import { blocks as table } from '../tables/blocks.ts'
import type { Row } from '../tables/table.ts'
import { uint64Max } from './parameters.ts'
import { query } from './query.ts'
import { readByKeys } from './read-by-keys.ts'
import { readList, unfiltered } from './read-list.ts'

export const blocks = query({
  file: new URL('./blocks.sql', import.meta.url),
  table,
  budget: { rowsMax: 120_000, bytesMax: 24_000_000 },
})

export const headBlock = query({
  file: new URL('./head-block.sql', import.meta.url),
  table,
  budget: { rowsMax: 10_000, bytesMax: 2_000_000 },
})

export async function blocksByNumber(
  store: Store,
  numbers: readonly number[],
): Promise<Map<number, Row<typeof table>>> {
  const parametersOf = (keys: readonly number[]) => ({ numbers: keys })
  const rows = await readByKeys(store, { query: blocks, table, parametersOf }, numbers)
  return new Map(rows.map((row) => [row.number, row]))
}

/** The newest block whose rows the ledger has written; null before any. */
export async function newestBlock(store: Store): Promise<Row<typeof table> | null> {
  const source = {
    table,
    cursorKey: (row: Row<typeof table>) => String(row.number),
    fetch: (last: Row<typeof table> | null, rowsMax: number) =>
      headBlock.run(store, { number: last?.number ?? uint64Max, rowsMax }),
    fetchRowsMax: 1_024,
  }
  const [row] = await readList(source, 1, unfiltered)
  return row ?? null
}
