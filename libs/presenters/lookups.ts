import type { Address, Hex } from '../chain/hex.ts'
import { type Standard, standards } from '../chain/token.ts'
import type { addressState } from '../tables/address-state.ts'
import type { instances } from '../tables/instances.ts'
import type { Row } from '../tables/table.ts'
import type { tokenState } from '../tables/token-state.ts'
import type { PublishedSignatures } from './abi/published-signatures.ts'
import type { AddressFacts, InstanceFacts, TokenFacts } from './facts.ts'

/** A token by what the chain says of it, and by what is said elsewhere. */
export interface TokenRecord {
  readonly state: Row<typeof tokenState>
  readonly facts: TokenFacts
}

export interface AddressRecord {
  /** Null where the chain has shown nothing but the address. */
  readonly state: Row<typeof addressState> | null
  readonly facts: AddressFacts
}

export interface InstanceRecord {
  readonly state: Row<typeof instances> | null
  readonly facts: InstanceFacts
}

/** What a body needs to know besides its rows; looked up beforehand, so presenters stay pure. */
export interface Lookups {
  token(address: Address): TokenRecord | null
  address(address: Address): AddressRecord
  instance(token: Address, tokenId: bigint): InstanceRecord
  /**
   * What is said of a function or event beside what is built in.
   * @param contract whose it is; null where only its selector is known
   * @param selector four bytes of a function, 32 of an event
   */
  signatures(contract: Address | null, selector: Hex): PublishedSignatures
  /** Price of the coin now, a decimal string; null if nobody said. */
  readonly coinPrice: string | null
  /** Price of the coin on a day (YYYY-MM-DD), or null. */
  coinPriceOn(day: string): string | null
  readonly head: Head
}

/** The newest block that all lists have. */
export interface Head {
  readonly block: number
  /** Seconds: "now", for ages. Null where nobody told the time of that block. */
  readonly time: number | null
}

/** The standard that a row names. @throws on an index that no standard has: a broken row. */
export function standardAt(index: number): Standard {
  const standard = standards[index]
  if (standard === undefined) throw new Error(`no token standard has index ${index}`)
  return standard
}
