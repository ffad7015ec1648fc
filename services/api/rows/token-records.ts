import type { Address } from '../../../libs/chain/hex.ts'
import { type AddressFacts, noTokenFacts, type TokenFacts } from '../../../libs/presenters/facts.ts'
import type { TokenRecord } from '../../../libs/presenters/lookups.ts'

interface TokenRows {
  readonly tokens: ReadonlyMap<Address, TokenRecord['state']>
  readonly tokenFacts: ReadonlyMap<Address, TokenFacts>
  readonly addressFacts: ReadonlyMap<Address, AddressFacts>
}

/** Tokens with what was published about them; a label of the address may mark a scam, too. */
export function tokenRecordsOf({ tokens, tokenFacts, addressFacts }: TokenRows) {
  const records = new Map<Address, TokenRecord>()
  for (const [address, state] of tokens) {
    const facts = tokenFacts.get(address) ?? noTokenFacts
    const isScam = facts.isScam || (addressFacts.get(address)?.isScam ?? false)
    records.set(address, { state, facts: { ...facts, isScam } })
  }
  return records
}
