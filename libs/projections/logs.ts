import type { Log } from '../chain/block.ts'
import { logsByAddress } from '../tables/logs-by-address.ts'
import { logsByTopic } from '../tables/logs-by-topic.ts'
import { logsByTransaction } from '../tables/logs-by-transaction.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import type { Place } from './blocks.ts'

/** A log in its three tables; in `logs_by_topic` once for each topic, however often it stands. */
export function logRows({ block, transaction, version }: Place, log: Log): TableRow[] {
  const key = { blockNumber: block.number, logIndex: log.index, ...version }
  const { address, topics, data } = log
  const content = {
    blockHash: block.hash,
    timestamp: block.timestamp,
    transactionIndex: transaction.index,
    address,
    topics,
    data,
  }
  const rows = [
    put(logsByAddress, { ...key, ...content, transactionHash: transaction.hash }),
    put(logsByTransaction, { ...key, ...content, transactionHash: transaction.hash }),
  ]
  for (const [at, topic] of topics.entries()) {
    if (topics.indexOf(topic) === at) rows.push(put(logsByTopic, { address, topic, ...key }))
  }
  return rows
}
