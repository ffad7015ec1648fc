import type { Address } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { canonical } from './canonical.ts'
import { type ChainContents, contentsOf, type IncludedTransfer } from './chain-contents.ts'
import { contractsOf } from './contracts.ts'
import { Doubts } from './doubts.ts'
import { completeness, type Holding, holdingsOf, type Ownership, type Settled } from './holdings.ts'
import { carriedOn } from './observations.ts'
import { Supplies } from './supplies.ts'
import { type OracleToken, readBy, tokensOf } from './tokens.ts'

export type Held = Pick<Holding, 'token' | 'holder' | 'tokenId' | 'value'>

/** All that the accepted messages tell, as known after the last one. */
export interface Knowledge {
  readonly contents: ChainContents
  readonly tokens: ReadonlyMap<Address, OracleToken>
  /** By which balances are ordered. */
  readonly rates: ReadonlyMap<Address, string>
  readonly contracts: ReadonlySet<Address>
  /** Known amounts without a token id: ERC-20, counts of collections, ERC-404's fungible part. */
  readonly amounts: readonly Held[]
  /** Ids as amounts: ERC-1155 by balance, ERC-404 by owner, which is a balance of one. */
  readonly ids: readonly Held[]
  readonly owners: readonly Ownership[]
  readonly isComplete: (token: Address) => boolean
  /** Whether the number of its holders is known. */
  readonly countsHolders: (token: Address) => boolean
  /** Null where it is unknown. */
  readonly supplyOf: (token: Address) => bigint | null
  /** ERC-20 for what is no token. */
  readonly standardOf: (token: Address) => Standard
}

/** @param rates decimal strings by token, of the hour in which lists are asked for */
export function knowledgeOf(
  accepted: readonly BlocksMessage[],
  rates: ReadonlyMap<Address, string> = new Map(),
): Knowledge {
  const messages = carriedOn(canonical(accepted))
  const tokens = tokensOf(messages)
  const isComplete = completeness(messages)
  const gapEnd = Math.max(-1, ...messages.map((one) => (one.kind === 'gap.declared' ? one.to : -1)))
  const known = (token: Address) => tokens.get(token)?.standard ?? null
  const read = (one: IncludedTransfer) => readBy(one, tokens.get(one.log.address))
  const doubts = new Doubts()
  let at = -1
  const isNamed = (token: Address) => (tokens.get(token)?.knownAt ?? Infinity) <= at
  const supplies = new Supplies({ standardOf: known, isComplete, doubts, isNamed, read })
  let settledLast: Settled['balances'] = []
  const { balances: all, owners } = holdingsOf(
    messages,
    { tokens, doubts, isComplete },
    (message, settled) => {
      at += 1
      supplies.after(message, settled)
      settledLast = settled.balances
    },
  )
  const balancesLast = settledLast
  // What was observed of an address without a standard is of no known token, and what was
  // observed before may be of a part that the token has not.
  const balances = all.filter(({ token, tokenId }) => hasPart(known(token), tokenId !== null))
  const standardOf = (token: Address): Standard => tokens.get(token)?.standard ?? 'ERC-20'
  const ownedIds = new Set(
    owners.map(({ token, tokenId, owner }) => `${token} ${tokenId} ${owner}`),
  )
  // An id that is known by its owner, and by a balance that was observed, is one.
  const isOwned = ({ token, tokenId, holder }: (typeof all)[number]) =>
    standardOf(token) === 'ERC-404' && ownedIds.has(`${token} ${tokenId} ${holder}`)
  return {
    contents: contentsOf(messages, read),
    tokens,
    rates,
    contracts: contractsOf(messages, tokens),
    amounts: balances.filter(({ tokenId }) => tokenId === null),
    ids: [
      ...balances.filter((one) => one.tokenId !== null && !isOwned(one)),
      ...owners
        .filter(({ token }) => standardOf(token) === 'ERC-404')
        .map(({ token, tokenId, owner }) => ({ token, tokenId, holder: owner, value: 1n })),
    ],
    owners,
    isComplete: (token) => isComplete(token, gapEnd),
    countsHolders: (token) => doubts.countsHolders(token, supplies.totalsOf(token, balancesLast)),
    supplyOf: (token) => supplies.of(token),
    standardOf,
  }
}

/** Whether a token of that standard has amounts of ids, or amounts without. */
const hasPart = (standard: Standard | null, isOfId: boolean): boolean =>
  standard === 'ERC-404' || (standard !== null && isOfId === (standard === 'ERC-1155'))

/** No types ask for all of them. */
export const isWanted = (types: readonly Standard[], standard: Standard): boolean =>
  types.length === 0 || types.includes(standard)
