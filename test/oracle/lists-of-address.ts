import type { Address, Hash } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { IncludedTransaction } from './chain-contents.ts'
import type { BalanceFact, LogFact, NftFact, TransactionFact } from './facts.ts'
import { type Held, isWanted, type Knowledge } from './knowledge.ts'
import { down, sorted } from './order.ts'
import { createdBy, feeOf, transactionFact } from './transaction-fact.ts'

/** Far more digits than rates and tokens have after the point. */
const fiatScale = 200

/** In units of 10^-fiatScale; null without a rate, or where nobody knows the decimals. */
export function fiatOf(
  { rates, tokens }: Pick<Knowledge, 'rates' | 'tokens'>,
  { token, tokenId, value }: Pick<Held, 'token' | 'tokenId' | 'value'>,
): bigint | null {
  const [rate, decimals] = [rates.get(token), tokens.get(token)?.decimals ?? null]
  if (rate === undefined || decimals === null || tokenId !== null) return null
  const [whole = '', fraction = ''] = rate.split('.')
  return value * BigInt(whole + fraction) * 10n ** BigInt(fiatScale - fraction.length - decimals)
}

/**
 * Endpoints 1 and 3: first what has a fiat value. Equal values stand in the order of an internal
 * id, unknown to us.
 */
export function tokensOf(known: Knowledge, address: Address, types: readonly Standard[]) {
  const { tokens, amounts, ids, owners, standardOf } = known
  // Decision 37: of a collection the ids whose known owner is the address.
  const counts = [...tokens.keys()]
    .filter((token) => standardOf(token) === 'ERC-721')
    .map((token): Held => {
      const owned = owners.filter((one) => one.token === token && one.owner === address)
      return { token, holder: address, tokenId: null, value: BigInt(owned.length) }
    })
  const others = amounts.filter(({ token }) => standardOf(token) !== 'ERC-721')
  const held = [...others, ...ids, ...counts].filter(
    ({ holder, token, value }) =>
      holder === address && value > 0n && isWanted(types, standardOf(token)),
  )
  return sorted(
    held,
    (one) => down(fiatOf(known, one) ?? -1n),
    ({ value }) => down(value),
  ).map(({ token, tokenId, value }): BalanceFact & { readonly token: Address } => ({
    token,
    token_id: tokenId === null ? null : `${tokenId}`,
    token_type: standardOf(token),
    value: `${value}`,
  }))
}

export interface TransactionsQuestion {
  readonly filter?: 'to' | 'from'
  readonly sort?: 'block_number' | 'value' | 'fee'
  readonly order?: 'asc' | 'desc'
}

/** Endpoint 2. */
export function transactionsOf(
  { contents, contracts, tokens }: Knowledge,
  address: Address,
  question: TransactionsQuestion,
): TransactionFact[] {
  const mine = contents.transactions.filter((one) => isOn(one, address, question.filter))
  const atTheEnd = { contracts, isToken: (made: Address) => tokens.has(made) }
  return ordered(mine, question).map((one) => transactionFact(one, atTheEnd))
}

function isOn(one: IncludedTransaction, address: Address, filter?: 'to' | 'from'): boolean {
  const sent = one.transaction.from === address
  const received = one.transaction.to === address || createdBy(one) === address
  if (filter === 'from') return sent
  return filter === 'to' ? received : sent || received
}

/** Equal amounts stand newest first, whatever the order of the amounts. */
function ordered(
  mine: readonly IncludedTransaction[],
  { sort = 'block_number', order = 'desc' }: TransactionsQuestion,
): IncludedTransaction[] {
  const newest = sorted(
    mine,
    ({ block }) => down(block.number),
    ({ transaction }) => down(transaction.index),
  )
  if (sort === 'block_number') return order === 'asc' ? newest.reverse() : newest
  const amountOf = (one: IncludedTransaction) =>
    sort === 'fee' ? feeOf(one) : one.transaction.value
  return sorted(newest, (one) => (order === 'asc' ? amountOf(one) : down(amountOf(one))))
}

const nftStandards: readonly Standard[] = ['ERC-721', 'ERC-1155', 'ERC-404']

/** Endpoint 4. A filter without any type that has NFTs is none. */
export function nftsOf(
  { ids, owners, standardOf }: Knowledge,
  address: Address,
  types: readonly Standard[],
): NftFact[] {
  const wanted = types.filter((type) => nftStandards.includes(type))
  const owned = owners
    .filter(({ token }) => standardOf(token) === 'ERC-721')
    .map(({ token, tokenId, owner }): Held => ({ token, tokenId, holder: owner, value: 1n }))
  const held = [...owned, ...ids].filter(
    ({ holder, token }) => holder === address && isWanted(wanted, standardOf(token)),
  )
  return sorted(
    held,
    ({ token }) => nftStandards.indexOf(standardOf(token)),
    ({ token }) => token,
    ({ tokenId }) => down(tokenId ?? 0n),
  ).map(({ token, tokenId, value }) => ({
    token,
    id: `${tokenId}`,
    token_type: standardOf(token),
    value: `${value}`,
  }))
}

/** Endpoint 6. */
export function logsOf({ contents }: Knowledge, address: Address, topic: Hash | null): LogFact[] {
  const mine = contents.logs.filter(
    ({ log }) => log.address === address && (topic === null || log.topics.includes(topic)),
  )
  return sorted(
    mine,
    ({ block }) => down(block.number),
    ({ log }) => down(log.index),
  ).map(({ block, transaction, log }) => ({
    address: log.address,
    transaction_hash: transaction.hash,
    block_number: block.number,
    index: log.index,
    data: log.data,
    topics: [0, 1, 2, 3].map((n) => log.topics[n] ?? null),
  }))
}
