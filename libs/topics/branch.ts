import { z } from 'zod'
import type { Block } from '../chain/block.ts'
import type { Hash } from '../chain/hex.ts'
import { hashText, integerNumber } from './quantities.ts'

/** Blocks that can be reverted, at most: deeper forks stop every group at the same message. */
export const undoBlocksMax = 256

/**
 * The newest canonical blocks, ascending without gaps, the last one is the head. The first is the
 * parent of the lowest that can be reverted; its time (seconds) may be unknown. Empty if the parent
 * of the next block is unknown. Numbers follow from the index, because it is stored often.
 */
export const branch = z
  .array(z.object({ hash: hashText, timestamp: integerNumber.nullable() }))
  .max(undoBlocksMax + 1)
  .readonly()
export type Branch = z.output<typeof branch>

type Grown = Pick<Block, 'hash' | 'parentHash' | 'timestamp' | 'parentTimestamp'>

/** The branch with one block more. */
export function appendBlock(standing: Branch, block: Grown): Branch {
  const { hash, timestamp, parentHash, parentTimestamp } = block
  if (standing.length === 0) {
    return [
      { hash: parentHash, timestamp: parentTimestamp },
      { hash, timestamp },
    ]
  }
  return [...standing.slice(-undoBlocksMax), { hash, timestamp }]
}

/** The hash of a canonical block; undefined if it is too deep. `next` follows the branch. */
export const hashAt = (standing: Branch, number: number, next: number): Hash | undefined =>
  number < next ? standing.at(number - next)?.hash : undefined
