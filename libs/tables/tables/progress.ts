import { hashType, nullable, textType, uint64 } from '../declare/columns.ts'
import { groupId, groupOfId, isGroupName } from '../declare/group-versions.ts'
import { table } from '../declare/table.ts'

/**
 * Per group, the position up to which its rows are written, and marks: the first position, that
 * after the flush in progress, and of each fact topic its position and earlier ones. Marks record
 * what the rows were folded from; see services/projector/log-identity/marks.ts.
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
    /** Hash of the log up to this position: a log with another hash is another log. */
    logHash: nullable(hashType),
  },
  granularity: 512,
  isOfAllVersions: true,
  invalidatedWith: 'nothing',
})

/**
 * Name of a row as it is stored. Rows are named by their group, marks by what begins with it: both
 * are of one version of it (`state|first` of version 2 is `state_2|first`).
 */
export function progressName(name: string): string {
  const [group = '', ...mark] = name.split('|')
  return [isGroupName(group) ? groupId(group) : group, ...mark].join('|')
}

/** The name of a row of this version, by how it is stored. */
export function nameOfProgress(stored: string): string {
  const [id = '', ...mark] = stored.split('|')
  return [groupOfId(id) ?? id, ...mark].join('|')
}

/** Name of the row of a topic of facts: its position is the version of what was folded last. */
export const progressOfTopic = (topic: string): string => `dimensions|${topic}`
