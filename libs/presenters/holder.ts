import { part } from '../tables/balances.ts'
import type { holders } from '../tables/holders.ts'
import type { Row } from '../tables/table.ts'
import { addressObject } from './address.ts'
import type { Lookups } from './lookups.ts'

/** A holder of a token (2.9); old and new clients read the address under different keys. */
export function holderObject(row: Row<typeof holders>, lookups: Lookups) {
  const address = addressObject(row.holder, lookups)
  return {
    address,
    address_hash: address,
    value: row.value.toString(),
    token_id: row.part === part.instance ? row.tokenId.toString() : null,
  }
}
