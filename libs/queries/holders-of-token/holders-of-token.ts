import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import { part as parts } from '../../tables/balances.ts'
import { bandMax, bandOf } from '../../tables/band.ts'
import { holders as table } from '../../tables/holders.ts'
import { query } from '../query.ts'
import { question, type RunOptions } from '../question.ts'
import { ReadLimitExceeded } from '../read-limit-exceeded.ts'
import { currentRows } from '../read-list.ts'
import { type Holder, type HolderPlace, inOrder, isBeyond } from './holders-in-order.ts'
import { readBand } from './holders-of-band.ts'

export const holdersOfTokenByBand = query({
  file: new URL('./holders-of-token.sql', import.meta.url),
  table,
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})
/** Reads what it steps over: the budget is that of 100,000 tombstones. */
export const holdersSkipping = query({
  file: new URL('./holders-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})

export interface HoldersOfToken {
  readonly token: Address
  /**
   * `tokenId` null: strictly after value and holder, whatever the ids. That is also the place of a
   * fungible balance, which comes after the instances of the same holder and value.
   */
  readonly after: {
    readonly value: bigint
    readonly holder: Address
    readonly tokenId: bigint | null
  } | null
  readonly limit: number
}

/** Rows of a fetch; a band with more is sorted by the engine. */
const bandRowsMax = 1_024
/** Fetches of one page; each passes at least one band. */
const fetchesMax = 64

/** Value descending, then holder, then token id descending. */
export const holdersOfToken = question({
  table,
  subjects: ({ token }: HoldersOfToken) => [token],
  read: readHolders,
})

async function readHolders(
  store: Store,
  options: HoldersOfToken,
  { knownFrom }: RunOptions,
): Promise<readonly Holder[]> {
  const { token, limit } = options
  const after = options.after ? cursorKey(options.after) : null
  const found: Holder[] = []
  let band: number | null = after ? bandOf(after.value) : bandMax
  for (let fetches = 0; fetches < fetchesMax; fetches++) {
    if (band === null) return found
    const foundBefore = found.length
    const bounds = { token: withoutPrefix(token), band, rowsMax: bandRowsMax, knownFrom }
    const rows: Holder[] = await holdersOfTokenByBand.run(store, bounds)
    const cut = rows.length < bandRowsMax ? null : (rows.at(-1)?.band ?? null)
    const whole = rows.filter((row) => row.band !== cut)
    found.push(...currentRows(table, whole, whole).filter(isBeyond(after)).sort(inOrder))
    if (cut === null || found.length >= limit) return found.slice(0, limit)
    band = cut
    if (whole.length === 0) {
      // It does not fit: a large band, perhaps an airdrop of a million equal balances.
      const list = { token, band: cut, after, limit: limit - found.length, knownFrom }
      found.push(...(await readBand(store, list)))
      if (found.length >= limit || cut === 0) return found
      band = cut - 1
    }
    if (found.length === foundBefore) band = await bandOfNextRow(store, { token, band, knownFrom })
  }
  throw new ReadLimitExceeded(table.name, fetchesMax * bandRowsMax)
}

/** The row may be an old version: then its band is read for nothing, but none is passed over. */
async function bandOfNextRow(
  store: Store,
  { token, band, knownFrom }: { token: Address; band: number; knownFrom: number },
): Promise<number | null> {
  const bounds = { token: withoutPrefix(token), band, knownFrom, rowsMax: 1 }
  const [row] = await holdersSkipping.run(store, bounds)
  return row?.band ?? null
}

function cursorKey(after: NonNullable<HoldersOfToken['after']>): HolderPlace {
  const { value, holder, tokenId } = after
  if (tokenId === null) return { value, holder, part: parts.fungible, tokenId: 0n }
  return { value, holder, part: parts.instance, tokenId }
}
