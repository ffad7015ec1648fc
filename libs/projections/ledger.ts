import type { Versioned } from '../tables/table.ts'
import type { TableRow } from '../tables/table-row.ts'
import { blockRow } from './blocks.ts'
import type { BlocksGroup } from './group.ts'
import { logRows } from './logs.ts'
import { transactionRows } from './transactions.ts'
import { transferRows } from './transfer-rows.ts'
import { transfersOf } from './transfers.ts'

/**
 * What happened, as it stands in the blocks: no state. An orphaned block writes the same keys
 * again as tombstones that carry the full old row.
 */
export const ledger: BlocksGroup = {
  name: 'ledger',
  entities: [],
  knownFrom: () => 0,
  change: () => [],
  *rows(message, _changes, position): Generator<readonly TableRow[]> {
    if (message.kind === 'state.observed' || message.kind === 'gap.declared') return
    const { block } = message
    const version: Versioned = { position, isDeleted: message.kind === 'block.reverted' ? 1 : 0 }
    yield [blockRow(block, version)]
    for (const transaction of block.transactions) {
      const transfers = transfersOf(transaction)
      const place = { block, transaction, version }
      const rows: TableRow[] = []
      for (const log of transaction.logs) rows.push(...logRows(place, log))
      for (const transfer of transfers) rows.push(...transferRows(place, transfer))
      rows.push(...transactionRows(place, transfers))
      yield rows
    }
  },
}
