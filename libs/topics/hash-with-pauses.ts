import { createHash } from 'node:crypto'
import type { Hash } from '../chain/hex.ts'
import type { Pause } from '../chain/pauses.ts'
import { hashText } from './quantities.ts'

const stepBytes = 4 * 1024 * 1024

/** SHA-256 of a message: of 200 MB it takes a second. */
export async function hashWithPauses(message: Uint8Array, pause: Pause): Promise<Hash> {
  const sum = createHash('sha256')
  for (let at = 0; at < message.length; at += stepBytes) {
    sum.update(message.subarray(at, at + stepBytes))
    await pause()
  }
  return hashText.parse(`0x${sum.digest('hex')}`)
}
