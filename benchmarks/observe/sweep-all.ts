import { checkObserved } from './check-observed.ts'
import { type IngestorRunOptions, type UsedNow, withIngestor } from './ingestor-run.ts'
import { PairMarks } from './pair-marks.ts'
import { usedBetween } from './turn.ts'

export interface SweepOptions extends IngestorRunOptions {
  /** The sweep is left after so many blocks; by default it goes on until all pairs are observed. */
  readonly blocksMax?: number
}

/** Of a sweep of the pairs of a log. */
export interface Swept {
  /** That it has observed. */
  readonly pairs: number
  /** That the log moves. */
  readonly moved: number
  /** After each of which something was asked. */
  readonly blocks: number
  readonly perPair: UsedNow
  /** How long each question took. */
  readonly questionsMs: readonly number[]
  readonly volumeBytes: number
  readonly checkedAnswers: number
}

/** Blocks of a whole sweep at most: it goes on for ever if some pair is never observed. */
const boundOf = (pairs: number, perBlock: number) => 1_000 + (8 * pairs) / perBlock

/**
 * Mines empty blocks until all pairs of the log are observed, or for so many blocks: the next once
 * one is done with.
 *
 * @throws if an observation is wrong, or if a whole sweep leaves a pair
 */
export function sweepAll(options: SweepOptions): Promise<Swept> {
  const { chain, fromBlock, limits, blocksMax = Number.POSITIVE_INFINITY } = options
  const marks = new PairMarks(chain, fromBlock)
  const onSwept: IngestorRunOptions['onSwept'] = ({ balances }) => {
    for (const pair of balances) marks.note(pair)
  }
  return withIngestor({ ...options, onSwept }, async (run) => {
    const { node, ingestor, used } = run
    const mine = async () => {
      const block = await chain.mine()
      node.announce()
      await node.idleAt(block)
    }
    await node.idleAt(chain.head)
    const before = used()
    const known = marks.observed
    const bound = boundOf(marks.moved, limits.sweptPairsMax ?? 1)
    let blocks = 0
    for (; marks.observed < marks.moved && blocks < blocksMax; blocks++) {
      if (blocks > bound) throw new Error(`the sweep goes on after ${blocks} blocks`)
      await mine()
    }
    const swept = marks.observed - known
    const isWhole = marks.observed === marks.moved
    const perPair = usedBetween(before, used(), swept)
    // The last answer is published before one more.
    await mine()
    await ingestor.stop()
    const { pairs, checkedAnswers } = await checkObserved(run.eventLog, chain, fromBlock)
    const left = pairs.moved - pairs.observed
    if (isWhole && left > 0) throw new Error(`${left} of ${pairs.moved} pairs are not in the log`)
    return {
      ...{ pairs: swept, moved: pairs.moved, blocks, perPair, checkedAnswers },
      questionsMs: node.backgroundMs.slice(0, blocks),
      volumeBytes: run.bytes(),
    }
  })
}

/** Makes a log and a volume whose pairs are all unknown. */
export const readUnswept = (options: IngestorRunOptions): Promise<void> =>
  withIngestor(options, ({ published }) => published(options.chain.head))
