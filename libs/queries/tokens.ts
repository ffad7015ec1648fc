import { type Address, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { cachedRows } from '../tables/declare/cached-rows.ts'
import { type Row, sinceHole } from '../tables/declare/table.ts'
import { tokenState as table } from '../tables/tables/tokens.ts'
import { query } from './query.ts'
import { keyedQuestion } from './question.ts'
import { groupBy, readByKeys } from './read-by-keys.ts'

export const tokensQuery = query({
  file: new URL('./tokens.sql', import.meta.url),
  table,
  budget: { rowsMax: 128_000, bytesMax: 8_000_000 },
})

/** States of these tokens; addresses that are not tokens are missing. */
export const tokenStates = keyedQuestion({
  table,
  subjects: (addresses: readonly Address[]) => addresses,
  idOf: (token: Address) => token,
  async read(_store, addresses, { knownFrom, subjectRows }): Promise<States> {
    const found = await subjectRows(tokenRows, addresses)
    return new Map(
      [...found].flatMap(([token, [row]]) =>
        // Also from before the last hole of the log: a token's name does not change.
        row === undefined ? [] : [[token, sinceHole(table, row, knownFrom) ?? row] as const],
      ),
    )
  },
})

type States = ReadonlyMap<Address, Row<typeof table>>

const tokenRows = {
  table,
  cached: cachedRows(table),
  async read(store: Store, addresses: readonly Address[]) {
    const parametersOf = (keys: readonly Address[]) => ({ tokens: keys.map(withoutPrefix) })
    const rows = await readByKeys(store, { query: tokensQuery, table, parametersOf }, addresses)
    return groupBy(rows, (row) => row.token)
  },
}
