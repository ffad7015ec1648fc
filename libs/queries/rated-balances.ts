import { type Address, zeroAddress } from '../chain/hex.ts'
import type { QueryParameters, Store } from '../ports/store.ts'
import { part, balances as table } from '../tables/balances.ts'
import type { Row } from '../tables/table.ts'
import { keysPerQueryMax, lookUp } from './look-up.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'
import { alive, type Reading, read } from './reading.ts'

export type RatedBalance = Row<typeof table>

export const ratedBalancesOfFew = query({
  file: new URL('./rated-balances-of-few.sql', import.meta.url),
  table,
  budget: { rowsMax: 8_000, bytesMax: 500_000 },
})
/**
 * Reads 512 rows a token and part of the table, and at most what the holder has. The budget is
 * that of 100 tokens; with a thousand of them, who holds 200,000 others costs all of these.
 */
export const ratedBalances = query({
  file: new URL('./rated-balances.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 10_000_000 },
})

/** Reads the tokens of all that a holder has: the budget is that of 50,000 balances. */
export const ratedBalancesByStart = query({
  file: new URL('./rated-balances-by-start.sql', import.meta.url),
  table,
  budget: { rowsMax: 80_000, bytesMax: 8_000_000 },
})

export interface RatedBalancesOfAddress {
  readonly holder: Address
  /** All that have a rate. */
  readonly tokens: readonly Address[]
  /** Position of the log's last hole: what was written before it is forgotten. */
  readonly knownFrom?: number
}

/** Balances that are read whatever they are of: nearly all holders have less. */
const fewMax = 1_024
const fetchRowsMax = 32_768

/** Fungible parts of those of these tokens that an address holds. */
export async function ratedBalancesOfAddress(
  store: Store,
  { holder, tokens, knownFrom = 0 }: RatedBalancesOfAddress,
): Promise<RatedBalance[]> {
  const list = { holder: bare(holder), knownFrom }
  const few = await ratedBalancesOfFew.ask(store, { ...list, rowsMax: fewMax })
  if (few.length < fewMax) {
    const wanted = new Set(tokens)
    return alive(table, few, few).filter(
      (row) => row.part === part.fungible && wanted.has(row.token),
    )
  }
  const keys = { ...list, part: part.fungible }
  if (tokens.length > keysPerQueryMax) return byStart(store, keys, tokens)
  const parametersOf = (some: readonly Address[]) => ({ ...keys, tokens: some.map(bare) })
  return lookUp(store, { query: ratedBalances, table, parametersOf }, tokens)
}

/** One query instead of one each thousand tokens, of which each would read the same granules. */
async function byStart(
  store: Store,
  keys: QueryParameters,
  tokens: readonly Address[],
): Promise<RatedBalance[]> {
  const wanted = new Set(tokens)
  const starts = startsOf(tokens)
  const named = { ...keys, starts: starts.toString('base64url'), startsEnd: starts.length }
  const reading: Reading<RatedBalance> = {
    table,
    placeOf: ({ token }) => token,
    fetch: (last, rowsMax) =>
      ratedBalancesByStart.ask(store, {
        ...named,
        token: bare(last?.token ?? zeroAddress),
        rowsMax,
      }),
    fetchRowsMax,
  }
  const listed = async (rows: readonly RatedBalance[]) =>
    rows.filter(({ token }) => wanted.has(token))
  return read(reading, tokens.length + 1, listed)
}

/** The first four bytes of each: 107 kB of text for 20,000 tokens; the engine takes 128 kB. */
function startsOf(tokens: readonly Address[]): Buffer {
  return Buffer.concat(tokens.map((token) => Buffer.from(token.slice(2, 10), 'hex')))
}
