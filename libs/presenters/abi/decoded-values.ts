import type { AbiParameter } from 'abitype'
import { decodeAbiParameters, hexToBytes } from 'viem'
import type { Hex } from '../../chain/hex.ts'
import { fitsBudget } from './decoding-budget.ts'
import { type ShownValue, shownValue } from './values.ts'

/** Longer inputs, log data and revert reasons are shown raw only. */
const decodedContentBytesMax = 128 * 1024

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
    return decodeAbiParameters(parameters, bytes).map(shownValue)
  } catch {
    // Anyone can send anything.
    return null
  }
}
