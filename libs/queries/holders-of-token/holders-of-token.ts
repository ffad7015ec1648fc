import { type Address, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import { bandMax, bandOf } from '../../tables/declare/band.ts'
import { part as parts } from '../../tables/tables/balances.ts'
import { holders as table } from '../../tables/tables/holders.ts'
import { isShown } from '../../tables/tables/tokens.ts'
import { firstRowsOfSubjects, range } from '../reading/declared.ts'
import { firstPages } from '../reading/first-pages.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { ReadLimitExceeded } from '../reading/read-limits.ts'
import { currentRows } from '../reading/read-list.ts'
import type { RunOptions } from '../reading/run-options.ts'
import { type Holder, type HolderPlace, inOrder, isBeyond, readBand } from './holders-of-band.ts'

/** Whole bands, greatest first; the reader sorts the rows of each. */
const holdersOfTokenByBand = range({
  file: new URL('./holders-of-token.sql', import.meta.url),
  table,
  of: ['token'],
  after: ['band'],
  isInclusive: true,
  order: 'key',
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})
/** Reads the rows that it skips: the budget is that of 100,000 tombstones. */
const holdersSkipping = query({
  file: new URL('./holders-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})

/** All pages of tokens with few holders. */
const holdersOfTokens = firstRowsOfSubjects({
  file: new URL('./holders-of-tokens.sql', import.meta.url),
  table,
  order: 'key',
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
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
  /** Of the token: only holders observed after this block or later count; 0: all (`isShown`). */
  readonly shownSince?: number
}

/** Rows of a fetch, less than a block; a band with more is sorted by ClickHouse. */
const bandRowsMax = 1_000
/** Fetches of one page; each passes at least one band, and all but the first pass tombstones. */
const fetchesMax = 64

/** Value descending, then holder, then token id descending. */
export const holdersOfToken = question({
  table,
  subjects: ({ token }: HoldersOfToken) => [token],
  read: readHolders,
  batch: firstPages({
    subjectOf: ({ token, shownSince = 0 }: HoldersOfToken) => (shownSince === 0 ? token : null),
    query: holdersOfTokens,
    subjectOfRow: (row) => row.token,
    rowsMax: bandRowsMax,
    // In the order of the list only once all rows are there.
    firstRowsOf: (rows) =>
      rows.length < bandRowsMax
        ? { rows: currentRows(table, rows, rows).sort(inOrder), isWhole: true }
        : null,
    pageOf: ({ rows }, { after, limit }) =>
      rows.filter(isBeyond(after && cursorKey(after))).slice(0, limit),
    parametersOf: ({ knownFrom = 0 }) => ({ knownFrom }),
  }),
})

async function readHolders(
  store: Store,
  options: HoldersOfToken,
  { knownFrom }: RunOptions,
): Promise<readonly Holder[]> {
  const { token, limit, shownSince = 0 } = options
  const after = options.after ? cursorKey(options.after) : null
  const isCounted = (row: Holder) => isShown(row, { shownSince })
  const listed = (rows: readonly Holder[]) =>
    currentRows(table, rows, rows).filter(isCounted).filter(isBeyond(after)).sort(inOrder)
  const found: Holder[] = []
  let band = after ? bandOf(after.value) : bandMax
  for (let fetches = 0; fetches < fetchesMax; fetches++) {
    const bounds = { token: withoutPrefix(token), band, rowsMax: bandRowsMax, knownFrom }
    const isFirst = fetches === 0 && shownSince === 0
    const rows = isFirst
      ? await holdersOfTokenByBand.run(store, bounds)
      : await holdersSkipping.run(store, { ...bounds, shownSince })
    const counted = isFirst ? rows : rows.filter((row) => row.isDeleted === 0 && isCounted(row))
    if (counted.length < bandRowsMax) {
      found.push(...listed(rows))
      return found.slice(0, limit)
    }
    const cut = Math.min(...rows.map((row) => row.band))
    const whole = rows.filter((row) => row.band !== cut)
    found.push(...listed(whole))
    if (found.length >= limit) return found.slice(0, limit)
    band = cut
    if (whole.length > 0) continue
    // It does not fit: a large band, perhaps an airdrop of a million equal balances.
    const rest = limit - found.length
    const list = { token, band, some: rows, after, limit: rest, knownFrom, shownSince }
    found.push(...(await readBand(store, list)))
    if (found.length >= limit || band === 0) return found
    band -= 1
  }
  throw new ReadLimitExceeded(table.name, fetchesMax * bandRowsMax)
}

function cursorKey(after: NonNullable<HoldersOfToken['after']>): HolderPlace {
  const { value, holder, tokenId } = after
  if (tokenId === null) return { value, holder, part: parts.fungible, tokenId: 0n }
  return { value, holder, part: parts.instance, tokenId }
}
