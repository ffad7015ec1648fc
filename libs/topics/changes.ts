import { z } from 'zod'
import { type Position, position } from '../chain/position.ts'
import { hashText, integerNumber } from './quantities.ts'

/** Hash buckets per family of lists: pages of a subject are invalidated by its bucket. */
export const bucketCount = 1 << 20

/**
 * Announces that all rows of one version of a group up to `position` can be read (`state`, or
 * `state_2`; readers of another version pass over it), and what changed above `after`, where its
 * previous announcement ended. A consumer that has not read up to `after` has missed one
 * and invalidates everything. `moved` lists, per family, the buckets changed by the flush; it is
 * "everything" while catching up. `facts` is, for the dimensions group, the version up to which
 * each topic is folded; null for all others. `block`, `hash`, `time` (seconds) are null before any
 * block. `knownFrom` is the position of the last gap in the log, if any: rows of the group written
 * before it do not count.
 */
export const announcement = z.object({
  group: z.string().regex(/^[a-z]+(_[1-9]\d*)?$/),
  after: integerNumber.transform((value): Position => position(value)),
  position: integerNumber.transform((value): Position => position(value)),
  block: integerNumber.nullable(),
  hash: hashText.nullable(),
  time: integerNumber.nullable(),
  knownFrom: integerNumber.optional(),
  facts: z.record(z.string(), integerNumber).nullable(),
  moved: z.union([z.literal('everything'), z.record(z.string(), z.array(integerNumber))]),
})
export type Announcement = z.output<typeof announcement>

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193

/** Of the subject's text (the first column of a table's key). */
export const bucketOf = (subject: string): number => subjectHash(subject) % bucketCount

/** FNV-1a, 32 bits. */
export function subjectHash(subject: string): number {
  let sum = fnvOffset
  for (let at = 0; at < subject.length; at++) {
    sum = Math.imul(sum ^ subject.charCodeAt(at), fnvPrime)
  }
  return sum >>> 0
}
