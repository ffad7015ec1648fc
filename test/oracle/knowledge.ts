import type { Address } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { canonical } from './canonical.ts'
import { contractsOf } from './contracts.ts'
import { type Holding, holdingsOf, type Ownership } from './holdings.ts'
import { type OracleToken, tokensOf } from './tokens.ts'
import { type Told, toldBy } from './told.ts'

export type Held = Pick<Holding, 'token' | 'holder' | 'tokenId' | 'value'>

/** All that the accepted messages tell, as known after the last one. */
export interface Knowledge {
  readonly told: Told
  readonly tokens: ReadonlyMap<Address, OracleToken>
  readonly contracts: ReadonlySet<Address>
  /** Known amounts without a token id: ERC-20, counts of collections, ERC-404's fungible part. */
  readonly amounts: readonly Held[]
  /** Ids as amounts: ERC-1155 by balance, ERC-404 by owner, which is a balance of one. */
  readonly ids: readonly Held[]
  readonly owners: readonly Ownership[]
  readonly isComplete: (token: Address) => boolean
  /** ERC-20 for what is no token. */
  readonly standardOf: (token: Address) => Standard
}

export function knowledgeOf(accepted: readonly BlocksMessage[]): Knowledge {
  const messages = canonical(accepted)
  const tokens = tokensOf(messages)
  const { balances: all, owners, isComplete } = holdingsOf(messages, tokens)
  // What was observed of an address that never told its standard is of no known token.
  const balances = all.filter(({ token }) => tokens.has(token))
  const standardOf = (token: Address): Standard => tokens.get(token)?.standard ?? 'ERC-20'
  return {
    told: toldBy(messages),
    tokens,
    contracts: contractsOf(messages, tokens),
    amounts: balances.filter(({ tokenId }) => tokenId === null),
    ids: [
      ...balances.filter(({ tokenId }) => tokenId !== null),
      ...owners
        .filter(({ token }) => standardOf(token) === 'ERC-404')
        .map(({ token, tokenId, owner }) => ({ token, tokenId, holder: owner, value: 1n })),
    ],
    owners,
    isComplete,
    standardOf,
  }
}

/** No types ask for all of them. */
export const isWanted = (types: readonly Standard[], standard: Standard): boolean =>
  types.length === 0 || types.includes(standard)
