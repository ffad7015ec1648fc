import type { Block } from '../../../libs/chain/block.ts'
import { type Pause, withPauses } from '../../../libs/chain/pauses.ts'
import { BlockTransfers } from '../../../libs/projections/ledger/transfers.ts'

/** The transfers of a block, looked through with pauses: it may have a million logs. */
export const readTransfers = (block: Block, pause: Pause): Promise<BlockTransfers> =>
  withPauses(BlockTransfers.paced(block, null), pause)
