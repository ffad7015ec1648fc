import { z } from 'zod'
import { type Position, position } from '../chain/position.ts'
import { hashText, integerNumber } from './quantities.ts'

/** Buckets a family of lists; a subject's bucket says whether its pages may have moved. */
export const bucketCount = 1 << 20

/**
 * A projector's word that everything up to `position` can be read.
 * It tells what moved above `after`: where the group's announcement before it ended. A listener
 * who has not heard as far as `after` has missed one, and takes everything for moved.
 * `moved` names, per family, the buckets that the flush touched; it is "everything" while catching
 * up. `facts` tells of the group of facts the version up to which it has folded each topic; of all
 * others it is null. `block`, `hash`, `time` (seconds) are null before any block. `knownFrom` is
 * the position of the last hole in the log, if there is one: what rows of the group said before it
 * is forgotten.
 */
export const announcement = z.object({
  group: z.enum(['ledger', 'state', 'dimensions']),
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

/** FNV-1a of the subject's text (the first column of a table's key). */
export function bucketOf(subject: string): number {
  let sum = fnvOffset
  for (let at = 0; at < subject.length; at++) {
    sum = Math.imul(sum ^ subject.charCodeAt(at), fnvPrime)
  }
  return (sum >>> 0) % bucketCount
}
