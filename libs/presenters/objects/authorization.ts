import { z } from 'zod'
import { isAddress } from '../../chain/hex.ts'
import { DecodeBudget } from '../abi/decode-budget.ts'
import { checksum } from '../address.ts'
import { checksummedString, decimalString, integer } from '../schemas.ts'

/** Schema of an entry of {@link authorizationList} (contract 68). */
export const authorizationSchema = z.object({
  address_hash: checksummedString.nullable().describe('Delegate, whose code the account runs.'),
  authority: checksummedString.nullable().describe('Account that signed; null if not recovered.'),
  chain_id: integer.describe(
    'Chain for which it was signed, 0 for any; one above 2^53-1 is shown as that.',
  ),
  nonce: decimalString.describe('Nonce of the account.'),
  r: decimalString.nullable().describe('Of the signature; null if the source lacks it.'),
  s: decimalString.nullable().describe('Of the signature; null if the source lacks it.'),
  v: integer.nullable().describe('Parity of the signature; null if the source lacks it.'),
  status: z
    .enum(['ok', 'invalid_chain_id', 'invalid_signature', 'invalid_nonce'])
    .nullable()
    .describe('Whether it took effect; null where the indexed blocks do not prove it.'),
})

/** As the fold has written it, so that it is not checked again: a page may have thousands. */
interface Stored {
  readonly chainId: string
  readonly nonce: string
  readonly delegate: string
  readonly authority: string | null
  /** Rows of before have neither this nor a status. */
  readonly signature?: { readonly r: string; readonly s: string; readonly yParity: string } | null
  readonly status?: z.output<typeof authorizationSchema>['status']
}

const shown = (text: string | null): string | null =>
  text !== null && isAddress(text) ? checksum(text) : null

/** Above 2^53, where no chain and no parity is, the greatest integer that every reader holds. */
const bounded = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)

/**
 * The authorizations of a type 4 transaction, the first ones where a page has too many.
 * @param text JSON, as the row holds it
 */
export function authorizationList(text: string, budget = new DecodeBudget()) {
  if (text === '' || text === '[]') return []
  const stored: readonly Stored[] = JSON.parse(cutTo(text, budget.useAuthorizations(text.length)))
  return stored.map((at) => ({
    address_hash: shown(at.delegate),
    authority: shown(at.authority),
    chain_id: bounded(at.chainId),
    nonce: at.nonce,
    r: at.signature ? BigInt(at.signature.r).toString() : null,
    s: at.signature ? BigInt(at.signature.s).toString() : null,
    v: at.signature ? bounded(at.signature.yParity) : null,
    status: at.status ?? null,
  }))
}

/** Between two entries, and nowhere inside one. */
const separator = '},{'

/** The whole entries within so many characters of a list. */
function cutTo(text: string, characters: number): string {
  if (characters >= text.length) return text
  const end = text.lastIndexOf(separator, characters - separator.length)
  return end <= 0 ? '[]' : `${text.slice(0, end)}}]`
}
