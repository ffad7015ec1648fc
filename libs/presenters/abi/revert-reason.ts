import type { Hex } from '../../chain/hex.ts'
import { decodedValues } from './decoded-values.ts'

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
