import { type Address, type Hash, zeroAddress } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { IncludedTransfer } from './chain-contents.ts'
import type { HolderFact, TokenFact, TransferFact } from './facts.ts'
import { type Held, isWanted, type Knowledge } from './knowledge.ts'
import { down, sorted } from './order.ts'

/** Endpoint 5: newest first, inside a batch the highest place first. */
export function transfersOfToken(known: Knowledge, token: Address): TransferFact[] {
  const mine = known.contents.transfers.filter(({ log }) => log.address === token)
  return sorted(
    mine,
    ({ block }) => down(block.number),
    ({ log }) => down(log.index),
    ({ place }) => down(place),
  ).map((transfer) => transferFact(known, transfer))
}

/** Endpoint 7: in the order of the logs, inside a batch the highest place first. */
export function transfersOfTransaction(
  known: Knowledge,
  hash: Hash,
  types: readonly Standard[],
): TransferFact[] {
  const mine = known.contents.transfers.filter(
    ({ transaction, log }) =>
      transaction.hash === hash && isWanted(types, known.standardOf(log.address)),
  )
  return sorted(
    mine,
    ({ log }) => log.index,
    ({ place }) => down(place),
  ).map((transfer) => transferFact(known, transfer))
}

function transferFact({ standardOf }: Knowledge, transfer: IncludedTransfer): TransferFact {
  const { transaction, block, log, from, to, tokenId, value } = transfer
  return {
    transaction_hash: transaction.hash,
    block_number: block.number,
    log_index: log.index,
    token: log.address,
    token_type: standardOf(log.address),
    from,
    to,
    type: transferType(transfer),
    token_id: tokenId === null ? null : `${tokenId}`,
    value: `${value}`,
  }
}

function transferType({ from, to }: IncludedTransfer): string {
  if (from === zeroAddress && to === zeroAddress) return 'token_spawning'
  if (from === zeroAddress) return 'token_minting'
  return to === zeroAddress ? 'token_burning' : 'token_transfer'
}

const heldOf = ({ amounts, ids }: Knowledge, token: Address): Held[] =>
  [...amounts, ...ids].filter((one) => one.token === token)

/** Endpoint 8. */
export function holdersOf(known: Knowledge, token: Address): HolderFact[] {
  return sorted(
    heldOf(known, token),
    ({ value }) => down(value),
    ({ holder }) => down(holder),
    ({ tokenId }) => down(tokenId ?? -1n),
  ).map(({ holder, tokenId, value }) => ({
    address: holder,
    token_id: tokenId === null ? null : `${tokenId}`,
    value: `${value}`,
  }))
}

/** Endpoint 10; null for what is no token. */
export function tokenOf(known: Knowledge, address: Address): TokenFact | null {
  const token = known.tokens.get(address)
  if (!token) return null
  const holders = new Set(heldOf(known, address).map(({ holder }) => holder))
  return {
    address,
    type: known.standardOf(address),
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals === null ? null : `${token.decimals}`,
    holders_count: known.countsHolders(address) ? `${holders.size}` : null,
    total_supply: known.supplyOf(address)?.toString() ?? null,
  }
}
