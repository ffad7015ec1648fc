import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Position } from '../../chain/position.ts'
import { type Standard, standards, type TokenMetadata } from '../../chain/token.ts'
import type { Row, TableRow } from '../../tables/declare/table.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import type { Token } from '../entities/token.ts'
import { listingId, type Unlisted, unlistedId } from '../entities/unlisted.ts'
import type { EntityChange } from '../group.ts'
import { isRenewed, rowDiff } from '../row-diff.ts'
import { isCreatedInLog } from './continuity.ts'
import { holdersCountOf, supplyOf } from './doubt.ts'
import type { StateDraft } from './state-draft.ts'

/** A collection of many kinds has no one supply that its transfers add up to. */
export const countsSupply = (standard: Standard): boolean => standard !== 'ERC-1155'

function newToken(draft: StateDraft, address: Address, standard: Standard | null): Token {
  const createdAt = draft.accounts.read(withoutPrefix(address))?.createdAt ?? -1
  const isComplete = isCreatedInLog(draft, createdAt)
  return {
    ordinal: draft.nextOrdinal(),
    standard,
    name: null,
    symbol: null,
    decimals: null,
    describedAt: -1,
    supply: isComplete && standard !== null && countsSupply(standard) ? 0n : null,
    supplyAt: -1,
    holders: 0,
    held: 0n,
    burned: 0,
    unknowns: 0,
    isComplete,
    verdict: 'none',
    shownSince: 0,
    calledAt: -1,
    confirmed: 0,
    unlistedFrom: 0,
    unlistedTo: 0,
    early: 0,
    isSettled: false,
    isRepeatable: true,
    isMixed: false,
    hasIndexedAmounts: false,
    knownFrom: draft.chain.knownFrom,
  }
}

/**
 * The token at an address, created on first use. The first standard that is known is final
 * (decision 33); until then what was observed of the token is kept without one. Its stored entities
 * take the standard when they are edited next, and those that need rows are queued for them.
 */
export function editToken(draft: StateDraft, address: Address, standard: Standard | null): Token {
  const id = withoutPrefix(address)
  const token = draft.tokens.edit(id, () => newToken(draft, address, standard))
  if (token.standard !== null || standard === null) return token
  token.standard = standard
  if (token.isComplete && token.supplyAt < 0 && countsSupply(standard)) token.supply = 0n
  queueListing(draft, address, token)
  return token
}

/** There was no code before the first block: nothing of it happened outside of the log. */
function complete(token: Token): void {
  if (token.isComplete) return
  token.isComplete = true
  const { standard, supplyAt } = token
  if (supplyAt < 0 && standard !== null && countsSupply(standard)) token.supply = 0n
}

/** What a contract says of its standard; decimals above zero make an ERC-20 (decision 61). */
export const standardSaid = ({ standard, decimals }: TokenMetadata): Standard | null =>
  standard ?? ((decimals ?? 0) > 0 ? 'ERC-20' : null)

/** Blank is nothing (decision 53). */
const worded = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : text

/**
 * Applies metadata that a contract returned; a value that is missing now keeps the previous one.
 */
export function describe(draft: StateDraft, metadata: TokenMetadata): void {
  const { block, decimals, totalSupply } = metadata
  const token = editToken(draft, metadata.address, standardSaid(metadata))
  if (metadata.hasCodeBefore === false && draft.chain.gapEnd === null) complete(token)
  if (block >= token.describedAt) {
    token.name = worded(metadata.name) ?? token.name
    token.symbol = worded(metadata.symbol) ?? token.symbol
    token.decimals = decimals ?? token.decimals
    token.describedAt = block
  }
  const { gapEnd } = draft.chain
  if (totalSupply === null || block < (gapEnd ?? block)) return
  observeSupply(draft, token, { supply: totalSupply, block })
}

/** A supply as of the end of a block; older ones than the last mint or burn are skipped. */
export function observeSupply(
  draft: StateDraft,
  token: Token,
  { supply, block }: { readonly supply: bigint; readonly block: number },
): void {
  if (block < token.supplyAt) return
  token.supply = supply
  token.supplyAt = block
  draft.observedSupplies.add(token)
}

/** A token is known once it has a standard. Holders are counted where its history is complete. */
export function tokenRows(change: EntityChange<Token>, position: Position): TableRow[] {
  const rowOf = (token: Token | undefined, isDeleted: 0 | 1) => {
    if (!token?.standard) return null
    const { ordinal, name, symbol, decimals, isComplete, shownSince } = token
    return {
      token: address(`0x${change.id}`),
      standard: standards.indexOf(token.standard),
      ordinal,
      name,
      symbol,
      decimals,
      totalSupply: supplyOf(token),
      holdersCount: holdersCountOf(token),
      isComplete,
      shownSince,
      position,
      isDeleted,
    }
  }
  const { before, after } = change
  const versions = {
    before: rowOf(before, 1),
    after: rowOf(after, 0),
    isRenewed: isRenewed(before, after),
  }
  const rows = rowDiff(tokenState, versions, false)
  const isStatsOnly = hasSameIdentity(versions.before, versions.after)
  return isStatsOnly ? rows.map((row) => ({ ...row, isStatsOnly })) : rows
}

/** What pages show of a token, or which of its rows: not throttled as its stats are. */
type TokenIdentity = Pick<
  Row<typeof tokenState>,
  'standard' | 'name' | 'symbol' | 'decimals' | 'shownSince'
>

const hasSameIdentity = (before: TokenIdentity | null, after: TokenIdentity | null): boolean =>
  before !== null &&
  after !== null &&
  before.standard === after.standard &&
  before.name === after.name &&
  before.symbol === after.symbol &&
  before.decimals === after.decimals &&
  before.shownSince === after.shownSince

/**
 * What is known of an address without a known standard gets its rows when the standard is known, by
 * `state-group.ts`. What is unknown has no rows either way and is not stored here: deposits at a
 * contract that is not a token leave no work, however many they are.
 */
export function noteUnlisted(
  draft: StateDraft,
  { address, token }: { readonly address: Address; readonly token: Token },
  entry: Unlisted,
): void {
  draft.unlisted.edit(unlistedId(address, token.unlistedTo), () => entry)
  token.unlistedTo += 1
}

/** The token has a standard from now on. */
function queueListing(draft: StateDraft, address: Address, token: Token): void {
  if (token.unlistedFrom === token.unlistedTo) return
  const { chain } = draft
  draft.listings.edit(listingId(chain.listingsTo), () => ({ token: address }))
  chain.listingsTo += 1
}
