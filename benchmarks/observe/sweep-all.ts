import { checkObserved } from './check-observed.ts'
import { type IngestorRunOptions, type UsedNow, withIngestor } from './ingestor-run.ts'
import { PairMarks } from './pair-marks.ts'
import { usedBetween } from './turn.ts'

/** Of a sweep that has asked for all pairs of a log. */
export interface WholeSweep {
  readonly pairs: number
  /** After each of which something was asked. */
  readonly blocks: number
  readonly perPair: UsedNow
  /** How long each question took. */
  readonly questionsMs: readonly number[]
  readonly volumeBytes: number
  readonly checkedAnswers: number
}

/** Blocks of a sweep at most, as if each question were a quarter full, and some more. */
const blocksMaxOf = (pairs: number, perBlock: number) => 1_000 + (4 * pairs) / perBlock

/** Mines empty blocks until all pairs of the log are observed: the next once one is done with. */
export function sweepAll(options: IngestorRunOptions): Promise<WholeSweep> {
  const { chain, fromBlock, limits } = options
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
    const blocksMax = blocksMaxOf(marks.moved, limits.sweptPairsMax ?? 1)
    let blocks = 0
    for (; marks.observed < marks.moved; blocks++) {
      if (blocks > blocksMax) throw new Error(`the sweep goes on after ${blocks} blocks`)
      await mine()
    }
    const perPair = usedBetween(before, used(), marks.moved)
    // The last answer is published before one more.
    await mine()
    await ingestor.stop()
    const { pairs, checkedAnswers } = await checkObserved(run.eventLog, chain, fromBlock)
    const left = pairs.moved - pairs.observed
    if (left > 0) throw new Error(`${left} of ${pairs.moved} pairs are not in the log`)
    return {
      ...{ pairs: pairs.moved, blocks, perPair, checkedAnswers },
      questionsMs: node.backgroundMs.slice(0, blocks),
      volumeBytes: run.bytes(),
    }
  })
}

/** Makes a log and a volume whose pairs are all unknown. */
export const readUnswept = (options: IngestorRunOptions): Promise<void> =>
  withIngestor(options, ({ published }) => published(options.chain.head))
