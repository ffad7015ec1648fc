import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { logsByAddress, logsByTopic } from '../../tables/tables/logs.ts'
import { firstRowsOfSubjects, range } from '../reading/declared.ts'
import { firstPageRows, firstPages, firstRows } from '../reading/first-pages.ts'
import { clampUint32, clampUint64, uint32Max, uint64Max } from '../reading/parameters.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { readByKeys, readByKeysInOrder } from '../reading/read-by-keys.ts'
import { pageSize } from '../reading/read-limits.ts'
import { readList, unfiltered } from '../reading/read-list.ts'

type Log = Row<typeof logsByAddress>

const logsOfAddressNewest = range({
  file: new URL('./logs-of-address.sql', import.meta.url),
  table: logsByAddress,
  of: ['address'],
  after: ['blockNumber', 'logIndex'],
  order: 'reversed',
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})
/** First pages of addresses with few logs. */
const logsOfAddresses = firstRowsOfSubjects({
  file: new URL('./logs-of-addresses.sql', import.meta.url),
  table: logsByAddress,
  order: 'reversed',
  hasLongTexts: true,
  budget: { rowsMax: 300_000, bytesMax: 200_000_000 },
})
/** Narrow: the logs themselves are read by key. */
const logsOfTopic = range({
  file: new URL('./logs-of-topic.sql', import.meta.url),
  table: logsByTopic,
  of: ['address', 'topic'],
  after: ['blockNumber', 'logIndex'],
  order: 'reversed',
  budget: { rowsMax: 8_000, bytesMax: 500_000 },
})
const logsOfAddressByKey = query({
  file: new URL('./logs-of-address-by-key.sql', import.meta.url),
  table: logsByAddress,
  budget: { rowsMax: 16_000, bytesMax: 1_000_000 },
})

export interface LogsOfAddress {
  readonly address: Address
  /** Matches any of the four topics. */
  readonly topic: Hash | null
  readonly after: Place | null
  readonly limit: number
  /** Fewer rows where their data, as hex text, fills that; the last one does not fit. */
  readonly bytesMax?: number
}

interface Place {
  readonly blockNumber: number
  readonly logIndex: number
}

/** Newest first. */
export const logsOfAddress = question({
  table: logsByAddress,
  subjects: ({ address }: LogsOfAddress) => [address],
  read: (store, options): Promise<readonly Log[]> =>
    options.topic ? withTopic(store, options, options.topic) : withAnyTopic(store, options),
  batch: firstPages({
    subjectOf: ({ address, topic, after, limit }: LogsOfAddress) =>
      topic === null && after === null && limit <= firstPageRows ? address : null,
    query: logsOfAddresses,
    subjectOfRow: (row) => row.address,
    lengthOf: ({ data }) => data.length,
    ...firstRows<Log>(logsByAddress, cursorKey),
  }),
  blockPage: (options, rows) => ({ ...options, order: 'desc', rows }),
})

/** The text of the data is a part of each body. */
const sizeOf = ({ limit, bytesMax }: LogsOfAddress) =>
  pageSize(limit, ({ data }: Log) => data.length, bytesMax)

async function withAnyTopic(store: Store, options: LogsOfAddress) {
  const { address, after } = options
  const source = {
    table: logsByAddress,
    cursorKey,
    fetch: (last: Place | null, rowsMax: number, bytesMax: number) => {
      const list = { address: withoutPrefix(address), ...beyond(last ?? after), rowsMax }
      return logsOfAddressNewest.run(store, list, bytesMax)
    },
    fetchRowsMax: 1_000,
  }
  return readList(source, sizeOf(options), unfiltered)
}

async function withTopic(store: Store, options: LogsOfAddress, topic: Hash) {
  const { address, after } = options
  const size = sizeOf(options)
  const source = {
    table: logsByTopic,
    cursorKey,
    fetch: (last: Place | null, rowsMax: number) =>
      logsOfTopic.run(store, {
        address: withoutPrefix(address),
        topic: withoutPrefix(topic),
        ...beyond(last ?? after),
        rowsMax,
      }),
    fetchRowsMax: 4_096,
  }
  const logsOf = (some: readonly Place[]) => logsAt(store, address, some)
  return readList(source, size, (places) => readByKeysInOrder(places, logsOf, size.isFull))
}

/** The logs at these places, in their order; a place whose log is gone since is left out. */
async function logsAt(store: Store, address: Address, places: readonly Place[]): Promise<Log[]> {
  const parametersOf = (keys: readonly Place[]) => ({
    address: withoutPrefix(address),
    blockNumbers: keys.map(({ blockNumber }) => blockNumber),
    logIndexes: keys.map(({ logIndex }) => logIndex),
  })
  const wide = { query: logsOfAddressByKey, table: logsByAddress }
  const options = { ...wide, parametersOf, longResultsMax: 0 }
  const logs = new Map(
    (await readByKeys(store, options, places)).map((log) => [cursorKey(log), log]),
  )
  return places.flatMap((place) => logs.get(cursorKey(place)) ?? [])
}

function cursorKey({ blockNumber, logIndex }: Place): string {
  return `${blockNumber}|${logIndex}`
}

const beyond = (place: Place | null) => ({
  blockNumber: clampUint64(place?.blockNumber ?? uint64Max),
  logIndex: clampUint32(place?.logIndex ?? uint32Max),
})
