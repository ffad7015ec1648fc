import { z } from 'zod'
import {
  abiTextCharactersMax,
  entryForm,
  entrySelector,
  parseAbiEntry,
} from '../../chain/abi-entry.ts'
import { integerNumber, selectorText } from '../quantities.ts'

/**
 * A message of topic `signature-facts`: a function or event with a given selector, of any contract.
 * A selector may have several: each is a separate fact.
 */
export const signatureFact = z
  .object({
    /** Four bytes of a function, 32 of an event. */
    selector: selectorText,
    /** Seconds since 1970: since when it is known. Of several the oldest is tried first. */
    time: integerNumber,
    /** `transfer(address to, uint256 value)`, `event Sync(uint112 reserve0, uint112 reserve1)`. */
    signature: z.string().max(abiTextCharactersMax),
  })
  .refine(isOfSelector, 'a signature that does not have this selector')

export type SignatureFact = z.output<typeof signatureFact>

function isOfSelector({ selector, signature }: { selector: string; signature: string }): boolean {
  const entry = entryOfFact({ selector, signature })
  return entry !== null && entrySelector(entry) === selector
}

/** The function or event of the fact, parsed by the length of its selector; null for neither. */
export const entryOfFact = ({ selector, signature }: { selector: string; signature: string }) =>
  parseAbiEntry(signature, selector.length === 10 ? 'function' : 'event')

/** Signatures that differ in names of inputs only are one. */
export function signatureFactKey(fact: SignatureFact): string {
  const entry = entryOfFact(fact)
  return `${fact.selector}:${entry === null ? fact.signature : entryForm(entry)}`
}
