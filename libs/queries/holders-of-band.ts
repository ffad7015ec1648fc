import type { Address } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { bandOf } from '../tables/band.ts'
import { holders as table } from '../tables/holders.ts'
import { firstPlace, type Holder, type HolderPlace } from './holders-in-order.ts'
import { greatestOfBand, type HoldersOfRun, holdersOfRun } from './holders-of-run.ts'
import { bare } from './parameters.ts'
import { query } from './query.ts'
import { asRead, type Reading, read } from './reading.ts'

/** Reads a whole band inside the engine: the budget is that of a band of 20,000. */
export const holdersOfBand = query({
  file: new URL('./holders-of-band.sql', import.meta.url),
  table,
  budget: { rowsMax: 60_000, bytesMax: 6_000_000 },
})
export const holdersVersions = query({
  file: new URL('./holders-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

interface HoldersOfBand {
  readonly token: Address
  readonly band: number
  readonly after: HolderPlace | null
  readonly limit: number
  readonly knownFrom: number
}

/** A band that is too large to be read whole, in the order of the list. */
export async function readBand(
  store: Store,
  { token, band, after, limit, knownFrom }: HoldersOfBand,
): Promise<Holder[]> {
  const list = { token: bare(token), band, knownFrom }
  const isInside = after !== null && bandOf(after.value) === band
  const value = isInside ? after.value : await greatestOfBand(store, list)
  if (value === null) return []
  const from = isInside ? after : { ...firstPlace, value }
  return (await holdersOfRun(store, { list, from, limit })) ?? sorted(store, { list, from, limit })
}

/** Sorted by the engine, row by row checked against all versions. */
function sorted(store: Store, { list, from, limit }: HoldersOfRun): Promise<Holder[]> {
  const fetch = (last: Holder | null, rowsMax: number) => {
    const { value, holder, part, tokenId } = last ?? from
    const place = { value, holder: bare(holder), part, tokenId }
    return holdersOfBand.ask(store, { ...list, ...place, rowsMax })
  }
  const reading: Reading<Holder> = {
    table,
    placeOf: (row) => `${row.value}|${row.holder}|${row.part}|${row.tokenId}`,
    fetch,
    fetchRowsMax: 1_000,
    versionsOf: (rows) =>
      holdersVersions.ask(store, {
        ...list,
        holders: rows.map(({ holder }) => bare(holder)),
        parts: rows.map((row) => row.part),
        tokenIds: rows.map(({ tokenId }) => tokenId),
      }),
  }
  return read(reading, limit, asRead)
}
