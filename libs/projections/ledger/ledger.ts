import type { TransactionLog } from '../../chain/block.ts'
import { standards, type Transfer } from '../../chain/token.ts'
import { put, type TableRow, type Versioned } from '../../tables/declare/table.ts'
import { logsByAddress, logsByTopic, logsByTransaction } from '../../tables/tables/logs.ts'
import { transfersByToken, transfersByTransaction } from '../../tables/tables/transfers.ts'
import type { BlocksGroup } from '../group.ts'
import {
  methodSelector,
  type RowContext,
  TransactionTransfers,
  transactionRows,
} from './transactions.ts'
import { BlockTransfers } from './transfers.ts'

/**
 * What happened, as contained in the blocks: no state. An orphaned block writes the same keys again
 * as tombstones that carry the full old row.
 */
export const ledger: BlocksGroup = {
  name: 'ledger',
  entities: [],
  knownFrom: () => 0,
  repeatedCount: () => 0,
  *change() {
    yield* []
    return []
  },
  *rows(message, _changes, position): Generator<readonly TableRow[]> {
    if (message.kind === 'state.observed' || message.kind === 'gap.declared') return
    const { block, chainId } = message
    const version: Versioned = { position, isDeleted: message.kind === 'block.reverted' ? 1 : 0 }
    const transfersOf = yield* BlockTransfers.paced(block, [])
    for (const transaction of block.transactions) {
      const place = { block, transaction, version, chainId }
      const transfers = new TransactionTransfers()
      let rows: TableRow[] = []
      for (const log of transaction.logs) {
        rows.push(...logRows(place, log))
        for (const transfer of transfersOf.pacedOfLog(log)) {
          if (transfer !== null) {
            transfers.add(transfer)
            rows.push(...transferRows(place, transfer))
          }
          if (transfer !== null && rows.length < runRowsMax) continue
          yield rows
          rows = []
        }
        if (rows.length < runRowsMax) continue
        yield rows
        rows = []
      }
      rows.push(...transactionRows(place, transfers))
      yield rows
    }
  },
}

/** Rows of a run: a transaction of ordinary length has one. */
const runRowsMax = 1_000

/** A log in its three tables; in `logs_by_topic` once for each distinct topic. */
function logRows({ block, transaction, version }: RowContext, log: TransactionLog): TableRow[] {
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

/** A transfer among those of its token and among those of its transaction. */
function transferRows({ block, transaction, version }: RowContext, item: Transfer): TableRow[] {
  const row = {
    token: item.token,
    blockNumber: block.number,
    logIndex: item.logIndex,
    batchIndex: item.batchIndex,
    transactionHash: transaction.hash,
    blockHash: block.hash,
    timestamp: block.timestamp,
    from: item.from,
    to: item.to,
    form: standards.indexOf(item.form),
    tokenId: item.tokenId,
    value: item.value,
    batchSize: item.batchSize,
    method: methodSelector(transaction),
    recipient: transaction.to,
    position: version.position,
    isDeleted: version.isDeleted,
  }
  return [put(transfersByToken, row), put(transfersByTransaction, row)]
}
