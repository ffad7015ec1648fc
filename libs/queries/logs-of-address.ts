import type { Address, Hash } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import { logsByAddress } from '../tables/logs-by-address.ts'
import { logsByTopic } from '../tables/logs-by-topic.ts'
import type { Row } from '../tables/table.ts'
import { lookUp } from './look-up.ts'
import { bare, uint32Last, uint64Last, within32, within64 } from './parameters.ts'
import { query } from './query.ts'
import { asRead, read } from './reading.ts'

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
}

interface Place {
  readonly blockNumber: number
  readonly logIndex: number
}

/** Newest first. */
export async function logsOfAddress(store: Store, asked: LogsOfAddress): Promise<Log[]> {
  return asked.topic ? withTopic(store, asked, asked.topic) : withAnyTopic(store, asked)
}

async function withAnyTopic(store: Store, { address, after, limit }: LogsOfAddress) {
  const reading = {
    table: logsByAddress,
    placeOf,
    fetch: (last: Place | null, rowsMax: number) =>
      logsOfAddressNewest.ask(store, {
        address: bare(address),
        ...beyond(last ?? after),
        rowsMax,
      }),
    fetchRowsMax: 1_024,
  }
  return read(reading, limit, asRead)
}

async function withTopic(store: Store, { address, after, limit }: LogsOfAddress, topic: Hash) {
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
  return read(reading, limit, (places) => logsAt(store, address, places))
}

/** The logs at these places, in their order; a place whose log is gone since is left out. */
async function logsAt(store: Store, address: Address, places: readonly Place[]): Promise<Log[]> {
  const parametersOf = (keys: readonly Place[]) => ({
    address: bare(address),
    blockNumbers: keys.map(({ blockNumber }) => blockNumber),
    logIndexes: keys.map(({ logIndex }) => logIndex),
  })
  const form = { query: logsOfAddressByKey, table: logsByAddress, parametersOf }
  const logs = new Map((await lookUp(store, form, places)).map((log) => [placeOf(log), log]))
  return places.flatMap((place) => logs.get(placeOf(place)) ?? [])
}

const placeOf = ({ blockNumber, logIndex }: Place) => `${blockNumber}|${logIndex}`

const beyond = (place: Place | null) => ({
  blockNumber: within64(place?.blockNumber ?? uint64Last),
  logIndex: within32(place?.logIndex ?? uint32Last),
})
