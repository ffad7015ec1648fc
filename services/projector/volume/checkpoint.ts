import { z } from 'zod'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { accepted, nothingAccepted } from '../../../libs/topics/acceptance.ts'
import { hashText, integerNumber } from '../../../libs/topics/quantities.ts'
import { emptyPrefix } from '../log-identity/log-prefix.ts'
import { checkpointKey, checkpointPrefix, sequenceOf } from './state-keys.ts'

/**
 * Version of everything in a group's volume: checkpoints, undo records, stored forms of entities.
 * Raise it with any change of them; a volume of another format is folded again from the log.
 */
export const stateFormat = 8

/** Checkpoints kept to rewind to. */
export const checkpointsMax = 16

const branchBlock = z.object({ number: integerNumber, sequences: z.array(integerNumber).min(1) })

/** A block that can be reverted, with the messages folded while it was the head. */
export type BranchBlock = Readonly<z.output<typeof branchBlock>>

const checkpoint = z.object({
  accepted,
  /** Of the log up to there; see log-prefix.ts. */
  prefix: hashText,
  /** Offset in `blocks` after the last accepted message, from which reading resumes. */
  offset: integerNumber,
  /** Of that message, if it came in parts. */
  lastHash: hashText.nullable().default(null),
  branch: z.array(branchBlock),
  journalFloor: integerNumber,
  /** Up to here rows were written by an earlier life of the group: state only. */
  silentUntil: integerNumber,
})

/** State of a group after a flush; the newest checkpoint is its only resume point. */
export type Checkpoint = Readonly<z.output<typeof checkpoint>>

export const beginning = (silentUntil: number): Checkpoint => ({
  accepted: nothingAccepted,
  prefix: emptyPrefix,
  offset: 0,
  lastHash: null,
  branch: [],
  journalFloor: 1,
  silentUntil,
})

export const writeCheckpoint = (at: Checkpoint): readonly [key: Buffer, value: Buffer] => [
  checkpointKey(at.accepted.sequence),
  Buffer.from(JSON.stringify({ format: stateFormat, ...at }), 'utf8'),
]

/** Sequences of the checkpoints kept, ascending. */
export const checkpointSequences = (state: StateStore): number[] =>
  [...state.scan(checkpointPrefix, checkpointsMax * 2)].map(({ key }) => sequenceOf(key))

const formatted = z.object({ format: z.unknown().optional() })

/** Null if it is of another format. @throws if it is not there or not whole. */
export function readCheckpoint(state: StateStore, sequence: number): Checkpoint | null {
  const stored: unknown = JSON.parse(state.get(checkpointKey(sequence))?.toString('utf8') ?? 'null')
  return formatted.parse(stored).format === stateFormat ? checkpoint.parse(stored) : null
}
