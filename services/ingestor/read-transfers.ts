import type { Block } from '../../libs/chain/block.ts'
import type { Pause } from '../../libs/chain/pauses.ts'
import { BlockTransfers } from '../../libs/projections/transfers.ts'

/** The transfers of a block, looked through with pauses: it may have a million logs. */
export async function readTransfers(block: Block, pause: Pause): Promise<BlockTransfers> {
  const reading = BlockTransfers.paced(block, null)
  for (;;) {
    const step = reading.next()
    if (step.done === true) return step.value
    const paused = pause()
    if (paused !== undefined) await paused
  }
}
