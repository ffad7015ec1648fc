import { hashType, nullable, textType, uint64 } from './columns.ts'
import { table } from './table.ts'

/**
 * By group how far its rows go, and beside it marks: how far they went a while ago, how far they
 * will have come after the flush that is under way, and the same of each topic of facts. Marks tell
 * what the rows were made of; see services/projector/marks.ts.
 */
export const progress = table({
  name: 'progress',
  serves: 'how far each group has written rows',
  group: 'ledger',
  source: 'blocks',
  key: { group: textType },
  columns: {
    blockNumber: nullable(uint64),
    blockHash: nullable(hashType),
    timestamp: nullable(uint64),
    /** Rows of the group written before this position are forgotten: the log has a hole there. */
    knownFrom: uint64,
    /** What lay in the log up to here: a log that says something else is another one. */
    logHash: nullable(hashType),
  },
  granularity: 512,
})

/** Name of the row of a topic of facts: its position is the version of what was folded last. */
export const progressOfTopic = (topic: string): string => `dimensions|${topic}`
