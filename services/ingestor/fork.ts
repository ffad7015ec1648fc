import { type ChainSource, SourceError } from '../../libs/ports/chain-source.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { LogMemory, RevertibleBlock } from './memory/log-memory.ts'

/** Hashes asked at a time on the way down. */
const askedAtOnceMax = 16

/** Whether the head of the log is on the source's chain; assumed if the source is far behind. */
export async function isOnSourceChain(memory: LogMemory, source: ChainSource): Promise<boolean> {
  const sourceHead = await source.head()
  const lowest = memory.revertible.findLast(({ number }) => number <= sourceHead)
  if (!lowest) return true
  const hash = await source.hash(lowest.number)
  return hash === null || hash === lowest.hash
}

/**
 * Published blocks that the source has orphaned, newest first.
 *
 * @throws SourceError if the source lacks a block below its own head, or is far behind
 * @throws if the fork is deeper than the blocks that can be reverted
 */
export async function orphanedBlocks(
  memory: LogMemory,
  source: ChainSource,
  depthMax: number,
): Promise<readonly RevertibleBlock[]> {
  const sourceHead = await source.head()
  const down = [...memory.revertible].reverse()
  let left = down.findIndex(({ number }) => number <= sourceHead)
  if (left === -1) {
    throw new SourceError(
      'half-answer',
      `the node is at block ${sourceHead}, below every block that can be undone`,
    )
  }
  for (; left < down.length; left += askedAtOnceMax) {
    const asked = down.slice(left, left + askedAtOnceMax)
    const hashes = await Promise.all(asked.map(({ number }) => source.hash(number)))
    const lacking = asked.find((_, at) => hashes[at] === null)
    if (lacking) {
      throw new SourceError(
        'half-answer',
        `the node does not have block ${lacking.number} below its head`,
      )
    }
    const common = asked.findIndex(({ hash }, at) => hashes[at] === hash)
    if (common !== -1) return revertible(memory, down.slice(0, left + common), depthMax)
  }
  return revertible(memory, down, depthMax)
}

/** Blocks below the floor (the first block, or the first after a gap) cannot be reverted. */
function revertible(
  memory: LogMemory,
  left: readonly RevertibleBlock[],
  depthMax: number,
): readonly RevertibleBlock[] {
  const { floor } = memory.accepted
  const deepest = left.at(-1)
  const isWhole = deepest === undefined || deepest.number >= (floor ?? 0)
  const isAll = left.length === memory.revertible.length && isDeep(memory)
  if (left.length <= depthMax && isWhole && !isAll) return left
  throw new Error(
    `the source's chain forks from the log below block ${deepest?.number}, ${left.length} blocks or more ` +
      `below the head of the log; at most ${depthMax} can be undone. See ${runbooks.reorganisationTooDeep}`,
  )
}

/** Whether the log has blocks below the revertible ones. */
const isDeep = (memory: LogMemory): boolean =>
  (memory.revertible[0]?.number ?? 0) > (memory.accepted.floor ?? 0)
