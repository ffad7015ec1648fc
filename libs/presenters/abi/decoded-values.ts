import type { AbiParameter } from 'abitype'
import { decodeAbiParameters, encodeAbiParameters, hexToBytes } from 'viem'
import type { Hex } from '../../chain/hex.ts'
import { fitsBudget } from './decoding-budget.ts'
import { type ShownValue, safeValue } from './values.ts'

/** Longer inputs, log data and revert reasons are shown raw only. */
const decodedContentBytesMax = 128 * 1024

/**
 * Whether values that {@link decodedValues} gave encode to just these bytes. Signatures of one
 * selector are told apart by it; some encoders write calls that no signature fits so well.
 */
export function isExact(parameters: readonly AbiParameter[], content: Hex): boolean {
  try {
    const bare = parameters.map(nameless)
    return encodeAbiParameters(bare, decodeAbiParameters(bare, content)) === content
  } catch {
    return false
  }
}

/**
 * The values of an encoding, one a parameter; null if it does not fit, or is more than may be
 * decoded. The only door to the library's decoder: it follows any offset, however often named.
 */
export function decodedValues(
  parameters: readonly AbiParameter[],
  content: Hex,
): readonly ShownValue[] | null {
  if (parameters.length === 0) return []
  if (content.length > 2 + 2 * decodedContentBytesMax) return null
  try {
    const bytes = hexToBytes(content)
    if (!fitsBudget(parameters, bytes)) return null
    return decodeAbiParameters(parameters.map(nameless), bytes).map(safeValue)
  } catch {
    // Anyone can send anything.
    return null
  }
}

/** Parts of tuples become lists: of two with one name the library would keep one. */
function nameless(parameter: AbiParameter): AbiParameter {
  const { type } = parameter
  return 'components' in parameter
    ? { type, components: parameter.components.map(nameless) }
    : { type }
}
