import type { Address, Hash } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { logsByAddress } from '../tables/logs-by-address.ts'
import { logsByTopic } from '../tables/logs-by-topic.ts'
import type { Row } from '../tables/table.ts'
import { lookUp, lookUpInOrder } from './look-up.ts'
import { bare, uint32Last, uint64Last, within32, within64 } from './parameters.ts'
import { query } from './query.ts'
import { asRead, read } from './reading.ts'
import { pageSize } from './result-size.ts'

type Log = Row<typeof logsByAddress>

export const logsOfAddressNewest = query({
  file: new URL('./logs-of-address.sql', import.meta.url),
  table: logsByAddress,
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})
export const logsOfTopic = query({
  file: new URL('./logs-of-topic.sql', import.meta.url),
  table: logsByTopic,
  budget: { rowsMax: 8_000, bytesMax: 500_000 },
})
export const logsOfAddressByKey = query({
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
export async function logsOfAddress(store: Store, asked: LogsOfAddress): Promise<Log[]> {
  return asked.topic ? withTopic(store, asked, asked.topic) : withAnyTopic(store, asked)
}

/** The text of the data is a part of each body. */
const sizeOf = ({ limit, bytesMax }: LogsOfAddress) =>
  pageSize(limit, ({ data }: Log) => data.length, bytesMax)

async function withAnyTopic(store: Store, asked: LogsOfAddress) {
  const { address, after } = asked
  const reading = {
    table: logsByAddress,
    placeOf,
    fetch: (last: Place | null, rowsMax: number, bytesMax: number) => {
      const list = { address: bare(address), ...beyond(last ?? after), rowsMax }
      return logsOfAddressNewest.ask(store, list, bytesMax)
    },
    fetchRowsMax: 1_024,
  }
  return read(reading, sizeOf(asked), asRead)
}

async function withTopic(store: Store, asked: LogsOfAddress, topic: Hash) {
  const { address, after } = asked
  const size = sizeOf(asked)
  const reading = {
    table: logsByTopic,
    placeOf,
    fetch: (last: Place | null, rowsMax: number) =>
      logsOfTopic.ask(store, {
        address: bare(address),
        topic: bare(topic),
        ...beyond(last ?? after),
        rowsMax,
      }),
    fetchRowsMax: 4_096,
  }
  const logsOf = (some: readonly Place[]) => logsAt(store, address, some)
  return read(reading, size, (places) => lookUpInOrder(places, logsOf, size.isFull))
}

/** The logs at these places, in their order; a place whose log is gone since is left out. */
async function logsAt(store: Store, address: Address, places: readonly Place[]): Promise<Log[]> {
  const parametersOf = (keys: readonly Place[]) => ({
    address: bare(address),
    blockNumbers: keys.map(({ blockNumber }) => blockNumber),
    logIndexes: keys.map(({ logIndex }) => logIndex),
  })
  const wide = { query: logsOfAddressByKey, table: logsByAddress }
  const form = { ...wide, parametersOf, longResultsMax: 0 }
  const logs = new Map((await lookUp(store, form, places)).map((log) => [placeOf(log), log]))
  return places.flatMap((place) => logs.get(placeOf(place)) ?? [])
}

const placeOf = ({ blockNumber, logIndex }: Place) => `${blockNumber}|${logIndex}`

const beyond = (place: Place | null) => ({
  blockNumber: within64(place?.blockNumber ?? uint64Last),
  logIndex: within32(place?.logIndex ?? uint32Last),
})
