import { decodeAbiParameters } from 'viem'
import type { Hex } from '../../chain/hex.ts'

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** Why a transaction reverted: the decoded reason, else the raw hex, null when there is none. */
export function revertReason(returned: Hex | null): string | null {
  if (returned === null || returned === '0x') return null
  return decodedReason(returned) ?? returned
}

function decodedReason(returned: Hex): string | null {
  const content: Hex = `0x${returned.slice(10)}`
  try {
    if (returned.startsWith(errorSelector)) {
      return decodeAbiParameters([{ type: 'string' }], content)[0]
    }
    if (returned.startsWith(panicSelector)) {
      return `Panic(${decodeAbiParameters([{ type: 'uint256' }], content)[0]})`
    }
  } catch {
    // Whatever does not decode is shown raw.
  }
  return null
}
