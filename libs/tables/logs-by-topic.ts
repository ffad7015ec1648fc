import { addressType, hashType, uint32, uint64 } from './columns.ts'
import { logsByAddress } from './logs-by-address.ts'
import { table } from './table.ts'

/** One row for each distinct topic of a log: the filter matches any of the four. */
export const logsByTopic = table({
  name: 'logs_by_topic',
  serves: 'endpoint 6 with a topic; the rows come from logs_by_address by key',
  group: 'ledger',
  source: 'blocks',
  key: { address: addressType, topic: hashType, blockNumber: uint64, logIndex: uint32 },
  columns: {},
  granularity: 512,
  invalidatedWith: logsByAddress,
})
