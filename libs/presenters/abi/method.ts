import type { AbiFunction } from 'abitype'
import type { Hex } from '../../chain/hex.ts'
import { decodedValues } from './decoded-values.ts'
import { functionOf } from './signatures.ts'
import { typeText } from './values.ts'

const selectorCharacters = 10

/** A function's name by its selector; the selector itself if nobody knows it. */
export const methodOf = (selector: Hex | null): string | null =>
  selector === null ? null : (functionOf(selector)?.name ?? selector)

/** The first four bytes of an input, null if it has fewer. */
export const selectorOf = (input: Hex): Hex | null =>
  input.length < selectorCharacters ? null : `0x${input.slice(2, selectorCharacters)}`

/** An input by a known signature (`decoded_input`); null if none fits the whole of it. */
export function decodedInput(input: Hex) {
  const selector = selectorOf(input)
  const known = selector === null ? null : functionOf(selector)
  if (selector === null || known === null) return null
  const values = decodedValues(known.inputs, `0x${input.slice(selectorCharacters)}`)
  if (values === null) return null
  return {
    method_call: callText(known),
    method_id: selector.slice(2),
    parameters: known.inputs.map((parameter, at) => ({
      name: parameter.name ?? '',
      type: typeText(parameter),
      value: values[at] ?? '',
    })),
  }
}

const callText = ({ name, inputs }: AbiFunction): string =>
  `${name}(${inputs.map((at) => `${typeText(at)} ${at.name ?? ''}`.trim()).join(', ')})`
