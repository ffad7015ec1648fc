import { type Position, position } from '../../chain/position.ts'

/** Far more messages than a topic of facts ever gets; sums of eight topics stay exact. */
const offsetsPerEpoch = 2 ** 38
const epochsMax = 2 ** 12

/** Position of a reader of a fact topic: the offset of its next message, from 0. */
export interface FactOffset {
  readonly epoch: number
  readonly offset: number
}

/**
 * Versions of rows made of facts: the offset in the topic, added to the end of all offsets of the
 * previous epoch. A topic that is recreated, mirrored or moved has new offsets; it gets another
 * epoch, so that its facts win over previous ones. Within an epoch the offset alone decides:
 * compaction changes none, and no clock is used.
 *
 * @returns the version of the last message before the place; that of the next one is one more
 */
export function factVersion({ epoch, offset }: FactOffset): Position {
  if (epoch >= epochsMax || offset >= offsetsPerEpoch) {
    throw new RangeError(`no version for offset ${offset} of epoch ${epoch}`)
  }
  return position(epoch * offsetsPerEpoch + offset)
}

/** The place behind the message of that version. */
export const offsetAfterVersion = (version: number): FactOffset => ({
  epoch: Math.floor(version / offsetsPerEpoch),
  offset: version % offsetsPerEpoch,
})
