import type { AbiParameter } from 'abitype'
import { decodeAbiParameters, encodeAbiParameters, hexToBytes } from 'viem'
import type { Hex } from '../../chain/hex.ts'
import { fitsBudget } from './decoding-budget.ts'

/** Longer inputs, log data and revert reasons are shown raw only. */
const decodedContentBytesMax = 128 * 1024

/**
 * Whether the values of {@link decodedValues} encode to exactly these bytes. It selects between the
 * signatures of one selector; some encoders write calls that match no signature exactly.
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

/** A decoded value as bodies show it: text, or lists of texts for arrays and tuples. */
export type ShownValue = string | readonly ShownValue[]

/** Integers in decimal, bytes as hex, tuples as lists; addresses come checksummed. */
function safeValue(value: unknown): ShownValue {
  if (Array.isArray(value)) return value.map(safeValue)
  if (typeof value === 'object' && value !== null) return Object.values(value).map(safeValue)
  return String(value)
}

/** A parameter's type as signatures write it: tuples by their parts. */
export function typeText(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  const parts = parameter.components.map(typeText).join(',')
  return `(${parts})${parameter.type.slice('tuple'.length)}`
}

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** Why a transaction reverted: the decoded reason, else the raw hex, null when there is none. */
export function revertReason(returned: Hex | null): string | null {
  if (returned === null || returned === '0x') return null
  return decodedReason(returned) ?? returned
}

/** Whatever does not decode is shown raw. */
function decodedReason(returned: Hex): string | null {
  const content: Hex = `0x${returned.slice(10)}`
  if (returned.startsWith(errorSelector)) return onlyText('string', content)
  const code = returned.startsWith(panicSelector) ? onlyText('uint256', content) : null
  return code === null ? null : `Panic(${code})`
}

function onlyText(type: 'string' | 'uint256', content: Hex): string | null {
  const [value] = decodedValues([{ type }], content) ?? []
  return typeof value === 'string' ? value : null
}
