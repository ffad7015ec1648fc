import { z } from 'zod'
import { isAddress } from '../chain/hex.ts'
import { checksum } from './checksum.ts'

const addressText = z.custom<string>((v) => typeof v === 'string')
const stored = z.array(
  z.object({
    chainId: z.string(),
    nonce: z.string(),
    delegate: addressText,
    authority: addressText.nullable(),
  }),
)

const shown = (text: string | null): string | null =>
  text !== null && isAddress(text) ? checksum(text) : null

/** Clients read numbers; above 2^53, where no chain or account is, digits stay text. */
function exact(digits: string): number | string {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : digits
}

/** The authorizations of a type 4 transaction. @param text JSON, as the row holds it. */
export function authorizationList(text: string) {
  if (text === '' || text === '[]') return []
  return stored.parse(JSON.parse(text)).map((at) => ({
    address_hash: shown(at.delegate),
    authority: shown(at.authority),
    chain_id: exact(at.chainId),
    nonce: exact(at.nonce),
  }))
}
