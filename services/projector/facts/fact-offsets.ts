import { z } from 'zod'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { integerNumber } from '../../../libs/topics/quantities.ts'
import { factOffsetsKey } from '../volume/state-keys.ts'

const factOffsets = z.record(z.string(), integerNumber)

/** By topic, the version of the last folded message: see `libs/topics/facts/fact-version.ts`. */
export type FactOffsets = Readonly<z.output<typeof factOffsets>>

/** Sum of the versions of all topics; messages removed by compaction count too. */
export const foldedOf = (offsets: FactOffsets): number =>
  Object.values(offsets).reduce((sum, offset) => sum + offset, 0)

/** Of the folds: raised where they make other rows of facts that were folded before. */
const foldsVersion = 3

const stored = z.union([
  z.strictObject({ foldsVersion: integerNumber, offsets: factOffsets }),
  // As the first version wrote it.
  factOffsets.transform((offsets) => ({ foldsVersion: 1, offsets })),
])

/**
 * None where the folds have changed since: then all facts are folded again, as the topics keep
 * the last one of each key.
 * @throws if what is stored is not whole.
 */
export function readOffsets(state: StateStore): FactOffsets {
  const bytes = state.get(factOffsetsKey)
  if (bytes === undefined) return {}
  const { foldsVersion: version, offsets } = stored.parse(JSON.parse(bytes.toString('utf8')))
  return version === foldsVersion ? offsets : {}
}

export const writeOffsets = (offsets: FactOffsets): readonly [key: Buffer, value: Buffer] => [
  factOffsetsKey,
  Buffer.from(JSON.stringify({ foldsVersion, offsets }), 'utf8'),
]
