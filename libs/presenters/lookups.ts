import type { Address, Hex } from '../chain/hex.ts'
import { type Standard, standards } from '../chain/token.ts'
import type { Row } from '../tables/declare/table.ts'
import type { addressState } from '../tables/tables/addresses.ts'
import type { instances } from '../tables/tables/instances.ts'
import type { tokenState } from '../tables/tables/tokens.ts'
import type { DecodeBudget } from './abi/decode-budget.ts'
import type { PublishedSignatures } from './abi/published-signatures.ts'
import type { AddressFacts, InstanceFacts, TokenFacts } from './facts.ts'

/** A token: its on-chain state and its off-chain facts. */
export interface TokenRecord {
  readonly state: Row<typeof tokenState>
  readonly facts: TokenFacts
}

interface AddressRecord {
  /** Null for a plain account. */
  readonly state: Row<typeof addressState> | null
  readonly facts: AddressFacts
}

interface InstanceRecord {
  readonly state: Row<typeof instances> | null
  readonly facts: InstanceFacts
}

/** What rows refer to, looked up before rendering, so that presenters stay pure. */
export interface Lookups {
  /** The same object each time. */
  token(address: Address): TokenRecord | null
  address(address: Address): AddressRecord
  instance(token: Address, tokenId: bigint): InstanceRecord
  /**
   * Published signatures of a function or event, besides the built-in ones.
   * @param contract the contract that has it; null if only the selector is known
   * @param selector four bytes of a function, 32 of an event
   */
  signatures(contract: Address | null, selector: Hex): PublishedSignatures
  /** Current price of the coin, a decimal string; null if unknown. */
  readonly coinPrice: string | null
  /** Price of the coin on a day (YYYY-MM-DD), or null. */
  coinPriceOn(day: string): string | null
  /** What may be decoded for the page. */
  readonly decodeBudget: DecodeBudget
  readonly head: Head
}

/** The newest block that all lists include. */
export interface Head {
  readonly block: number
  /** Its time in seconds, "now" for ages; null if unknown. */
  readonly time: number | null
}

/** The standard with an index. @throws on an unknown index, which only a corrupt row has. */
export function standardAt(index: number): Standard {
  const standard = standards[index]
  if (standard === undefined) throw new Error(`no token standard has index ${index}`)
  return standard
}
