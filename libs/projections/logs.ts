import type { Log } from '../chain/block.ts'
import { logsByAddress } from '../tables/logs-by-address.ts'
import { logsByTopic } from '../tables/logs-by-topic.ts'
import { logsByTransaction } from '../tables/logs-by-transaction.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import type { RowContext } from './blocks.ts'

/** A log in its three tables; in `logs_by_topic` once for each topic, however often it stands. */
export function logRows({ block, transaction, version }: RowContext, log: Log): TableRow[] {
  const { address, topics } = log
  const row = {
    address,
    blockNumber: block.number,
    logIndex: log.index,
    blockHash: block.hash,
    timestamp: block.timestamp,
    transactionHash: transaction.hash,
    transactionIndex: transaction.index,
    recipient: transaction.to,
    topics,
    data: log.data,
    position: version.position,
    isDeleted: version.isDeleted,
  }
  const rows = [put(logsByAddress, row), put(logsByTransaction, row)]
  for (const [at, topic] of topics.entries()) {
    if (topics.indexOf(topic) !== at) continue
    const { blockNumber, logIndex, position, isDeleted } = row
    rows.push(put(logsByTopic, { address, topic, blockNumber, logIndex, position, isDeleted }))
  }
  return rows
}
