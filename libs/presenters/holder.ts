import { part } from '../tables/balances.ts'
import type { holders } from '../tables/holders.ts'
import type { Row } from '../tables/table.ts'
import { addressObject } from './address.ts'
import type { Known } from './known.ts'

/** A holder of a token (2.9); old and new clients read the address under different keys. */
export function holderObject(row: Row<typeof holders>, known: Known) {
  const address = addressObject(row.holder, known)
  return {
    address,
    address_hash: address,
    value: row.value.toString(),
    token_id: row.part === part.instance ? row.tokenId.toString() : null,
  }
}
