import type { AbiFunction } from 'abitype'
import type { Hex } from '../../chain/hex.ts'
import { bestFit } from './best-fit.ts'
import { decodedValues, isExact } from './decoded-values.ts'
import {
  functionCandidates,
  noPublishedSignatures,
  type PublishedSignatures,
} from './published-signatures.ts'
import { typeText } from './values.ts'

const selectorCharacters = 10

/** A function's likeliest name by its selector; the selector itself if unknown. */
export function methodOf(
  selector: Hex | null,
  published: PublishedSignatures = noPublishedSignatures,
): string | null {
  if (selector === null) return null
  const { own, wellKnown } = functionCandidates(selector, published)
  return [...own, ...wellKnown][0]?.name ?? selector
}

/** The first four bytes of an input, null if it has fewer. */
export const selectorOf = (input: Hex): Hex | null =>
  input.length < selectorCharacters ? null : `0x${input.slice(2, selectorCharacters)}`

/** An input by the signature that fits it best (`decoded_input`); null if none fits the whole. */
export function decodedInput(input: Hex, published: PublishedSignatures = noPublishedSignatures) {
  const selector = selectorOf(input)
  if (selector === null) return null
  const content: Hex = `0x${input.slice(selectorCharacters)}`
  const fit = bestFit(functionCandidates(selector, published), {
    valuesOf: ({ inputs }: AbiFunction) => decodedValues(inputs, content),
    isExact: ({ inputs }) => isExact(inputs, content),
  })
  if (fit === null) return null
  const { signature, values } = fit
  return {
    method_call: callText(signature),
    method_id: selector.slice(2),
    parameters: signature.inputs.map((parameter, at) => ({
      name: parameter.name ?? '',
      type: typeText(parameter),
      value: values[at] ?? '',
    })),
  }
}

/** The name in a `method_call`. */
export const nameIn = ({ method_call }: { readonly method_call: string }): string =>
  method_call.slice(0, method_call.indexOf('('))

const callText = ({ name, inputs }: AbiFunction): string =>
  `${name}(${inputs.map((at) => `${typeText(at)} ${at.name ?? ''}`.trim()).join(', ')})`
