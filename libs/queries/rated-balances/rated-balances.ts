import { type Address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import type { QueryParameters, Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { part, balances as table } from '../../tables/tables/balances.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { keysPerQueryMax, readByKeys } from '../reading/read-by-keys.ts'
import { type ListSource, readList } from '../reading/read-list.ts'
import type { RunOptions } from '../reading/run-options.ts'

export type RatedBalance = Row<typeof table>

/**
 * Reads 512 rows a token and part, at most all rows of the holder. The budget is that of 100
 * tokens; a thousand tokens of a holder of 200,000 others read all of these.
 */
const ratedBalances = query({
  file: new URL('./rated-balances.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 10_000_000 },
})

/** Reads the token column of all the holder's rows: the budget is that of 50,000 balances. */
const ratedBalancesByStart = query({
  file: new URL('./rated-balances-by-start.sql', import.meta.url),
  table,
  budget: { rowsMax: 80_000, bytesMax: 8_000_000 },
})

export interface RatedBalancesOfAddress {
  readonly holder: Address
  /** All tokens with a rate. */
  readonly tokens: readonly Address[]
}

const fetchRowsMax = 32_768

/** Fungible balances of an address in these tokens. */
export const ratedBalancesOfAddress = question({
  table,
  subjects: ({ holder }: RatedBalancesOfAddress) => [holder],
  read: readBalances,
})

async function readBalances(
  store: Store,
  { holder, tokens }: RatedBalancesOfAddress,
  { knownFrom }: RunOptions,
): Promise<readonly RatedBalance[]> {
  const list = { holder: withoutPrefix(holder), knownFrom }
  const keys = { ...list, part: part.fungible }
  if (tokens.length > keysPerQueryMax) return byStart(store, keys, tokens)
  const parametersOf = (some: readonly Address[]) => ({ ...keys, tokens: some.map(withoutPrefix) })
  return readByKeys(store, { query: ratedBalances, table, parametersOf }, tokens)
}

/** One query instead of one per thousand tokens, which would each read the same granules. */
async function byStart(
  store: Store,
  keys: QueryParameters,
  tokens: readonly Address[],
): Promise<RatedBalance[]> {
  const wanted = new Set(tokens)
  const starts = startsOf(tokens)
  const named = { ...keys, starts: starts.toString('base64url'), startsEnd: starts.length }
  const source: ListSource<RatedBalance> = {
    table,
    cursorKey: ({ token }) => token,
    fetch: (last, rowsMax) =>
      ratedBalancesByStart.run(store, {
        ...named,
        token: withoutPrefix(last?.token ?? zeroAddress),
        rowsMax,
      }),
    fetchRowsMax,
  }
  const listed = async (rows: readonly RatedBalance[]) =>
    rows.filter(({ token }) => wanted.has(token))
  return readList(source, tokens.length + 1, listed)
}

/** The first four bytes of each: 107 kB of text for 20,000 tokens; ClickHouse allows 128 kB. */
function startsOf(tokens: readonly Address[]): Buffer {
  return Buffer.concat(tokens.map((token) => Buffer.from(token.slice(2, 10), 'hex')))
}
