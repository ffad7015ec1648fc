import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { isOnSourceChain, orphanedBlocks } from './fork.ts'
import { type IngestorOptions, startIngestor } from './ingestor.ts'
import { ingestorLimits } from './memory/ingestor-limits.ts'
import { LogMemory, type RevertibleBlock } from './memory/log-memory.ts'
import type { Ingestor } from './running-ingestor.ts'

interface RepairOptions extends IngestorOptions {
  /** Sequence of the message that the log accepts next. */
  readonly from: number
  /** Undoes as many blocks as the source has left; otherwise one at most. */
  readonly isForced?: boolean
}

/** Blocks of the log that the source's chain does not contain: a repair reverts them first. */
export interface UndoneBlocks {
  readonly first: number
  readonly last: number
  readonly blocks: number
  readonly transactions: number
}

interface Repaired {
  /** Sequence of the last message that counts now. */
  readonly to: number
  /** The newest block at that message; null if there is none. */
  readonly block: number | null
}

interface Repair extends Pick<Ingestor, 'status' | 'stop'> {
  /** Null if the source's chain contains all blocks of the log. */
  readonly undone: UndoneBlocks | null
  /** Resolves when the log has what the source had when it began. @throws what halted it */
  readonly repaired: Promise<Repaired>
}

/** A chain replaces its newest block now and then; more at once may as well be the wrong node. */
const undoBlocksUnforcedMax = 1

/**
 * Publishes what the source has, from the message on that the log accepts next, up to the head
 * that the source has now. It is an ingestor with an end: another that runs beside it is harmless.
 *
 * @throws with one sentence, before anything is published: the log accepts another message next, or
 * is of another chain, or more blocks would be undone than may be without force
 */
export async function startRepair({ from, isForced, ...options }: RepairOptions): Promise<Repair> {
  const { eventLog, state } = options
  const limits = { ...ingestorLimits, ...options.limits }
  const memory = await LogMemory.open({ eventLog, limits, state })
  // The log need not be read again by the ingestor.
  await memory.save()
  const next = memory.accepted.sequence + 1
  if (from !== next) throw new Error(from > next ? tooLate(from, next) : tooEarly(from, next))
  const source = await upToHead(options.source)
  const undone = await undoneBy(memory, source, limits.reorganisationDepthMax)
  if (undone !== null && undone.blocks > undoBlocksUnforcedMax && !isForced) {
    throw new Error(tooMany(undone))
  }
  // The source may leave more blocks from now on: that would be more than was agreed to.
  const undoBlocksMax = isForced ? limits.reorganisationDepthMax : undoBlocksUnforcedMax
  const ingestor = await startIngestor({ ...options, source, state, undoBlocksMax })
  const repaired = Promise.race([ingestor.done, ingestor.failed]).then((halted) => {
    if (halted instanceof Error) throw halted
    const { position, block } = ingestor.status()
    return { to: position, block }
  })
  return { undone, repaired, status: () => ingestor.status(), stop: () => ingestor.stop() }
}

async function undoneBy(
  memory: LogMemory,
  source: ChainSource,
  depthMax: number,
): Promise<UndoneBlocks | null> {
  if (memory.accepted.chainId !== source.chainId || (await isOnSourceChain(memory, source)))
    return null
  const left = await orphanedBlocks(memory, source, depthMax)
  const [newest, oldest] = [left[0], left.at(-1)]
  if (newest === undefined || oldest === undefined) return null
  const transactions = await transactionsIn(memory, left)
  return { first: oldest.number, last: newest.number, blocks: left.length, transactions }
}

async function transactionsIn(
  memory: LogMemory,
  left: readonly RevertibleBlock[],
): Promise<number> {
  let count = 0
  for (const standing of left) {
    const { block } = await memory.appliedAt(standing)
    count += block.transactions.length
  }
  return count
}

const tooLate = (from: number, next: number) =>
  `the log accepts message ${next} next, not ${from}: messages from ${next} on are missing or were ` +
  `ignored, so repair with --from ${next}`

const tooEarly = (from: number, next: number) =>
  `message ${from} is already in the log; the next missing one is ${next}: repair with --from ${next}`

const tooMany = ({ first, last, blocks, transactions }: UndoneBlocks) =>
  `the source's chain does not contain blocks ${first} to ${last} of the log: ${blocks} blocks with ` +
  `${transactions} transactions would be undone. Check that --source is the right node; --force ` +
  'undoes them'

/** The source without later blocks: it ends at its present head. */
export async function upToHead(source: ChainSource): Promise<ChainSource> {
  const head = await source.head()
  return {
    chainId: source.chainId,
    endsAtHead: true,
    hasState: source.hasState,
    head: async () => head,
    block: (number) => source.block(number),
    hash: (number) => source.hash(number),
    async nextNumber(number) {
      const next = await source.nextNumber(number)
      return next === null || next > head ? null : next
    },
    observed: (number, hash) => source.observed(number, hash),
    tokens: (addresses, block) => source.tokens(addresses, block),
    codes: (addresses, block) => source.codes(addresses, block),
    observe: (question) => source.observe(question),
    waitAbove: (number, signal) => source.waitAbove(number, signal),
    close: () => source.close(),
  }
}
