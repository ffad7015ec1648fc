import { z } from 'zod'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { integer } from '../../libs/topics/quantities.ts'
import { factOffsetsKey } from './state-keys.ts'

const factOffsets = z.record(z.string(), integer)

/** By topic, the offset of the first message that is not folded. */
export type FactOffsets = Readonly<z.output<typeof factOffsets>>

/** Offsets passed, of all topics: the messages folded, and those that were compacted away. */
export const foldedOf = (offsets: FactOffsets): number =>
  Object.values(offsets).reduce((sum, offset) => sum + offset, 0)

/** @throws if what is stored is not whole. */
export function readOffsets(state: StateStore): FactOffsets {
  const bytes = state.get(factOffsetsKey)
  return bytes === undefined ? {} : factOffsets.parse(JSON.parse(bytes.toString('utf8')))
}

export const writeOffsets = (offsets: FactOffsets): readonly [key: Buffer, value: Buffer] => [
  factOffsetsKey,
  Buffer.from(JSON.stringify(offsets), 'utf8'),
]
