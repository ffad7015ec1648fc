import type { Candidates } from './published-signatures.ts'

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
