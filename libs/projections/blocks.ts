import type { Block, Transaction } from '../chain/block.ts'
import { blocks } from '../tables/blocks.ts'
import type { Versioned } from '../tables/table.ts'
import { put, type TableRow } from '../tables/table-row.ts'

/** Where a row of the ledger comes from, and its version. */
export interface RowContext {
  readonly block: Block
  readonly transaction: Transaction
  readonly version: Versioned
}

export const blockRow = (block: Block, version: Versioned): TableRow =>
  put(blocks, {
    number: block.number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: block.timestamp,
    transactionsCount: block.transactions.length,
    gasUsed: block.gasUsed,
    baseFeePerGas: block.baseFeePerGas,
    ...version,
  })
