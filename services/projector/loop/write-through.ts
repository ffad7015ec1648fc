import { type Address, address } from '../../../libs/chain/hex.ts'
import type { Cache, CacheWrite } from '../../../libs/ports/cache.ts'
import {
  ResultTooLarge,
  type Store,
  StoreBehind,
  StoreMissing,
  StoreUnavailable,
  type WholeReplicas,
} from '../../../libs/ports/store.ts'
import { ReadLimitExceeded } from '../../../libs/queries/reading/read-limits.ts'
import { labelRows, marketRows } from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { type CachedRows, cachedRows, clockOf } from '../../../libs/tables/declare/cached-rows.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import type { AnyTable, Row, SourceTopic } from '../../../libs/tables/declare/table.ts'
import { addressLabels } from '../../../libs/tables/tables/addresses.ts'
import { cachedTables } from '../../../libs/tables/tables/all-tables.ts'
import { tokenMarket } from '../../../libs/tables/tables/tokens.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { CacheableRows } from './batch.ts'

/** What a flush has committed and is about to announce, or has just announced. */
export interface Committed {
  readonly announcement: Announcement
  readonly hot: CacheableRows
}

/**
 * Writes rows that many pages show to the shared cache, so that api processes need not query the
 * tables for them. Called when the rows can be read. Missing or late writes only cost time: readers
 * compare positions with the announcements they have received.
 */
export type WriteThrough = (committed: Committed) => Promise<void>

const caches = {
  tokenMarket: cachedRows(tokenMarket),
  addressLabels: cachedRows(addressLabels),
}

/** Reads all facts of subjects: a flush has one kind of them. */
export interface Facts {
  readonly market: FactsBy<typeof tokenMarket>
  readonly labels: FactsBy<typeof addressLabels>
}
/** @param position of the flush: what is read has at least all of it. @throws StoreBehind */
type FactsBy<T> = (
  of: readonly Address[],
  position: number,
) => Promise<ReadonlyMap<Address, readonly Row<T>[]>>

/**
 * @param wholeReplicas those that have all rows written before it is called, where another replica
 * may answer than the one that took the rows; null for one server alone. Rejects with StoreBehind
 */
export function factsIn(store: Store, wholeReplicas: (() => Promise<WholeReplicas>) | null): Facts {
  const current: Store = {
    ...store,
    async query(sql, parameters, options) {
      if (wholeReplicas === null) return await store.query(sql, parameters, options)
      return await store.query(sql, parameters, { ...options, replicas: await wholeReplicas() })
    },
  }
  return {
    market: (tokens) => marketRows.read(current, tokens),
    labels: (addresses) => labelRows.read(current, addresses),
  }
}

export const writeThrough =
  (cache: Cache, facts: Facts): WriteThrough =>
  async ({ announcement, hot }) => {
    const writes = rowsIn(announcement, hot)
    const read = await factsOf(announcement, { hot, facts }).catch(noneIfUnread)
    await cache.set([...writes, ...read])
  }

/** These queries delay no client, and rows may be too long to be read at once. */
function noneIfUnread(error: unknown): CacheWrite[] {
  if (passing.some((kind) => error instanceof kind)) return []
  throw error
}

const passing = [StoreUnavailable, StoreBehind, StoreMissing, ReadLimitExceeded, ResultTooLarge]

/** Cached tables in which a subject has one row, because it is the whole key. */
const singleRowTables = cachedTables.filter(({ key }) => Object.keys(key).length === 1)

/** Rows of the flush, of tables in which a subject has one row. */
function rowsIn(announcement: Announcement, hot: CacheableRows): CacheWrite[] {
  return singleRowTables.flatMap((table): CacheWrite[] => {
    const position = positionOf(announcement, table)
    if (position === null) return []
    return [...hot.of(table.name)].map(([subject, { row, table: its }]) => {
      const { keyOf, encode } = cachedRows<AnyTable['key'], AnyTable['columns']>(its)
      return [keyOf(subject), { bytes: encode(row.isDeleted === 1 ? [] : [row]), position }]
    })
  })
}

/** Of tables in which a subject has a row for each kind of fact. */
async function factsOf(
  announcement: Announcement,
  { hot, facts }: { hot: CacheableRows; facts: Facts },
): Promise<CacheWrite[]> {
  const subjectsOf = (table: string): Address[] => [...hot.of(table).keys()].map(address)
  const [tokens, addresses] = [subjectsOf(tokenMarket.name), subjectsOf(addressLabels.name)]
  const { position } = announcement
  const [market, labels] = await Promise.all([
    facts.market(tokens, position),
    facts.labels(addresses, position),
  ])
  const written = <R>(
    form: CachedRows<R>,
    subjects: readonly Address[],
    { rows, position }: { rows: ReadonlyMap<Address, readonly R[]>; position: number | null },
  ): CacheWrite[] =>
    position === null
      ? []
      : subjects.map((subject) => {
          return [form.keyOf(subject), { bytes: form.encode(rows.get(subject) ?? []), position }]
        })
  const ofMarket = { rows: market, position: positionOf(announcement, tokenMarket) }
  const ofLabels = { rows: labels, position: positionOf(announcement, addressLabels) }
  return [
    ...written(caches.tokenMarket, tokens, ofMarket),
    ...written(caches.addressLabels, addresses, ofLabels),
  ]
}

/** Up to which the rows of a table are those that were announced. */
function positionOf(
  { group, position, facts }: Announcement,
  table: { readonly group: GroupName; readonly source: SourceTopic },
): number | null {
  if (group === groupId('dimensions')) return facts?.[clockOf(table)] ?? null
  return position
}
