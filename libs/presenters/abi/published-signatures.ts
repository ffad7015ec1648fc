import type { AbiEvent, AbiFunction, AbiParameter } from 'abitype'
import type { AbiEntry, AbiInput } from '../../chain/abi-entry.ts'
import type { Hash, Hex } from '../../chain/hex.ts'
import type { DecodeBudget } from './decode-budget.ts'
import { eventsOf, functionsOf } from './signatures.ts'

/** Published signatures of a selector or topic, besides the built-in ones. */
export interface PublishedSignatures {
  /** From ABIs: the contract's own, then those of its implementations. */
  readonly own: readonly AbiEntry[]
  /** From lists of well-known signatures, oldest first. */
  readonly wellKnown: readonly AbiEntry[]
  /** Of the page that shows what they decode; that of one item by default. */
  readonly budget?: DecodeBudget | undefined
}

export const noPublishedSignatures: PublishedSignatures = { own: [], wellKnown: [] }

/** Signatures to try. One from the contract's own ABI is preferred if it fits at all. */
interface Candidates<A> {
  readonly own: readonly A[]
  readonly wellKnown: readonly A[]
}

export const functionCandidates = (
  selector: Hex,
  { own, wellKnown }: PublishedSignatures,
): Candidates<AbiFunction> => ({
  own: own.flatMap(asFunction),
  wellKnown: [...functionsOf(selector), ...wellKnown.flatMap(asFunction)],
})

/** Only those that index as many inputs as a log has further topics. */
export const eventCandidates = (
  topics: readonly Hash[],
  { own, wellKnown }: PublishedSignatures,
): Candidates<AbiEvent> => {
  const indexed = topics.length - 1
  const asFitting = (entry: AbiEntry) => asEvent(entry, indexed)
  return {
    own: own.flatMap(asFitting),
    wellKnown: [...eventsOf(topics), ...wellKnown.flatMap(asFitting)],
  }
}

const asFunction = ({ kind, name, inputs }: AbiEntry): readonly AbiFunction[] =>
  kind === 'function'
    ? [
        {
          type: 'function',
          name,
          inputs: inputs.map(asParameter),
          outputs: [],
          stateMutability: 'nonpayable',
        },
      ]
    : []

/** Lists of signatures often omit `indexed`: then the first inputs count as indexed. */
function asEvent({ kind, name, inputs }: AbiEntry, indexed: number): readonly AbiEvent[] {
  if (kind !== 'event' || indexed > inputs.length) return []
  const declared = inputs.filter(({ isIndexed }) => isIndexed).length
  if (declared !== indexed && declared !== 0) return []
  const isIndexed = (input: AbiInput, at: number) =>
    declared === indexed ? input.isIndexed : at < indexed
  const parameters = inputs.map((input, at) => ({
    ...asParameter(input),
    indexed: isIndexed(input, at),
  }))
  return [{ type: 'event', name, inputs: parameters }]
}

const asParameter = ({ name, type, components }: AbiInput): AbiParameter =>
  components.length === 0 ? { name, type } : { name, type, components: components.map(asParameter) }

interface Fit<A, V> {
  readonly signature: A
  readonly values: V
}

interface Fitting<A, V> {
  /** Null where it does not fit. */
  readonly valuesOf: (signature: A) => V | null
  /** Whether what fits does so to the byte. */
  readonly isExact: (signature: A) => boolean
}

/**
 * The signature that an encoding is shown by: the contract's own if it fits, then the first of the
 * well-known ones that fits to the byte, then the first that fits.
 */
export function bestFit<A, V>(
  { own, wellKnown }: Candidates<A>,
  { valuesOf, isExact }: Fitting<A, V>,
): Fit<A, V> | null {
  const fitOf = (signature: A): Fit<A, V> | null => {
    const values = valuesOf(signature)
    return values === null ? null : { signature, values }
  }
  for (const signature of own) {
    const fit = fitOf(signature)
    if (fit !== null) return fit
  }
  let first: Fit<A, V> | null = null
  for (const signature of wellKnown) {
    const fit = fitOf(signature)
    if (fit === null) continue
    if (wellKnown.length === 1 || isExact(signature)) return fit
    first ??= fit
  }
  return first
}
