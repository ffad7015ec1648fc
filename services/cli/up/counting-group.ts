import type { Position } from '../../../libs/chain/position.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { transfersByTransaction } from '../../../libs/tables/transfers-by-transaction.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import type { BlockSummary } from './console-ui.ts'

/** Folded blocks that are not displayed yet; older ones are dropped. */
const unshownMax = 64

export interface CountingGroup {
  /** The wrapped group. */
  readonly group: BlocksGroup
  /** Transactions and logs folded since the start. */
  readonly events: () => number
  /** Removes and returns the blocks up to a position, in order. */
  readonly takeBlocks: (upTo: Position) => BlockSummary[]
}

const transfersTable = transfersByTransaction.name

/** Wraps the ledger and counts what it folds: messages are not decoded again for display. */
export function countingGroup(group: BlocksGroup): CountingGroup {
  let events = 0
  let unshown: { position: Position; block: BlockSummary }[] = []
  return {
    group: {
      ...group,
      *rows(message, changes, position) {
        let transfers = 0
        for (const rows of group.rows(message, changes, position)) {
          for (const { table } of rows) if (table.name === transfersTable) transfers += 1
          yield rows
        }
        events += eventsOf(message)
        const block = shown(message, transfers)
        if (block) unshown = [...unshown.slice(1 - unshownMax), { position, block }]
      },
    },
    events: () => events,
    takeBlocks(upTo) {
      const taken = unshown.filter(({ position }) => position <= upTo)
      unshown = unshown.filter(({ position }) => position > upTo)
      return taken.map(({ block }) => block)
    },
  }
}

function eventsOf(message: BlocksMessage): number {
  if (message.kind !== 'block.applied') return 0
  const { transactions } = message.block
  return transactions.reduce((sum, { logs }) => sum + 1 + logs.length, 0)
}

function shown(message: BlocksMessage, transfers: number): BlockSummary | null {
  if (message.kind !== 'block.applied' && message.kind !== 'block.reverted') return null
  const { number, hash, timestamp, transactions } = message.block
  return {
    number,
    hash,
    transactions: transactions.length,
    transfers,
    time: timestamp,
    reverted: message.kind === 'block.reverted',
  }
}
