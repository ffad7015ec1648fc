import { z } from 'zod'
import { isAddress } from '../chain/hex.ts'
import { checksum } from './address.ts'
import { checksummedString, decimalString, integer } from './schemas.ts'

/** Schema of an entry of {@link authorizationList} (contract 68). */
export const authorizationSchema = z.object({
  address_hash: checksummedString.nullable(),
  authority: checksummedString.nullable(),
  chain_id: integer.describe('at most 2^53-1: a larger one is shown as that'),
  nonce: decimalString,
  r: decimalString.nullable(),
  s: decimalString.nullable(),
  v: integer.nullable(),
  status: z
    .enum(['ok', 'invalid_chain_id', 'invalid_signature', 'invalid_nonce'])
    .nullable()
    .describe('null where the indexed blocks do not prove it'),
})

const addressText = z.custom<string>((v) => typeof v === 'string')
const stored = z.array(
  z.object({
    chainId: z.string(),
    nonce: z.string(),
    delegate: addressText,
    authority: addressText.nullable(),
    // Rows of before have neither.
    signature: z
      .object({ r: z.string(), s: z.string(), yParity: z.string() })
      .nullable()
      .default(null),
    status: authorizationSchema.shape.status.default(null),
  }),
)

const shown = (text: string | null): string | null =>
  text !== null && isAddress(text) ? checksum(text) : null

/** Above 2^53, where no chain and no parity is, the greatest integer that every reader holds. */
const bounded = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)

/** The authorizations of a type 4 transaction. @param text JSON, as the row holds it. */
export function authorizationList(text: string) {
  if (text === '' || text === '[]') return []
  return stored.parse(JSON.parse(text)).map((at) => ({
    address_hash: shown(at.delegate),
    authority: shown(at.authority),
    chain_id: bounded(at.chainId),
    nonce: at.nonce,
    r: at.signature && BigInt(at.signature.r).toString(),
    s: at.signature && BigInt(at.signature.s).toString(),
    v: at.signature && bounded(at.signature.yParity),
    status: at.status,
  }))
}
