import { z } from 'zod'
import { type Address, address, type Hash } from '../../libs/chain/hex.ts'
import {
  balanceFactOf,
  holderFactOf,
  logFactOf,
  nftFactOf,
  transactionFactOf,
  transferFactOf,
} from './bodies.ts'
import type { Knowledge } from './knowledge.ts'
import { fiatOf, logsOf, nftsOf, tokensOf, transactionsOf } from './lists-of-address.ts'
import { holdersOf, transfersOfToken, transfersOfTransaction } from './lists-of-token.ts'

/** A list to walk and what it has to hold. */
export interface ExpectedList {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** Null for the list without parameters, else which of its variants this is. */
  readonly variant: { readonly n: number; readonly of: number } | null
  /** Whether its subject is one of the busiest. */
  readonly isBusiest: boolean
  readonly facts: readonly object[]
  readonly factOf: (item: unknown) => object
  /** Facts of one rank may stand in any order, as long as it is the same on every walk. */
  readonly rankOf?: (fact: object) => string
}

const questions = [
  {},
  { filter: 'to' },
  { filter: 'from' },
  { sort: 'block_number', order: 'asc' },
  { sort: 'value', order: 'desc' },
  { sort: 'value', order: 'asc' },
  { sort: 'fee', order: 'desc' },
  { sort: 'fee', order: 'asc', filter: 'from' },
] as const

const typeFilters = [[], ['ERC-20'], ['ERC-721', 'ERC-1155']] as const

/** The order of balances among equals is that of an internal id. */
const worthIn = (known: Knowledge) => (fact: object) => {
  const { token, token_id, value } = balance.parse(fact)
  const fiat = fiatOf(known, { token, tokenId: token_id, value: BigInt(value) })
  return `${fiat} ${value}`
}

const balance = z.object({
  token: z.string().transform(address),
  token_id: z.string().transform(BigInt).nullable(),
  value: z.string(),
})

const given = (parameters: Readonly<Record<string, string>>) => parameters

const typed = (types: readonly string[]) =>
  given(types.length === 0 ? {} : { type: types.join(',') })

/** A list without its place among others. */
export type BareList = Omit<ExpectedList, 'variant' | 'isBusiest'>

/** One list first without, then with parameters. */
const family = (isBusiest: boolean, lists: readonly BareList[]): ExpectedList[] =>
  lists.map((list, n) => ({
    ...list,
    isBusiest,
    variant: n === 0 ? null : { n: n - 1, of: lists.length - 1 },
  }))

export function listsOfAddress(
  known: Knowledge,
  subject: Address,
  isBusiest: boolean,
): ExpectedList[] {
  const path = `/api/v2/addresses/${subject}`
  const balances = typeFilters.map((types) => ({
    path: `${path}/tokens`,
    parameters: typed(types),
    facts: tokensOf(known, subject, types),
    factOf: balanceFactOf,
    rankOf: worthIn(known),
  }))
  const nfts = typeFilters.map((types) => ({
    path: `${path}/nft`,
    parameters: typed(types),
    facts: nftsOf(known, subject, types),
    factOf: nftFactOf,
  }))
  const transactions = questions.map((question) => ({
    path: `${path}/transactions`,
    parameters: question,
    facts: transactionsOf(known, subject, question),
    factOf: transactionFactOf,
  }))
  const topics = new Set([null, topicOf(known, subject)])
  const logs = [...topics].map((topic) => ({
    path: `${path}/logs`,
    parameters: given(topic === null ? {} : { topic }),
    facts: logsOf(known, subject, topic),
    factOf: logFactOf,
  }))
  return [balances, nfts, transactions, logs].flatMap((lists) => family(isBusiest, lists))
}

/** Endpoint 3: all at once. */
export const everyBalanceOf = (known: Knowledge, subject: Address): BareList => ({
  path: `/api/v2/addresses/${subject}/token-balances`,
  parameters: {},
  facts: tokensOf(known, subject, []),
  factOf: balanceFactOf,
  rankOf: worthIn(known),
})

export function listsOfToken(known: Knowledge, token: Address, isBusiest: boolean): ExpectedList[] {
  const path = `/api/v2/tokens/${token}`
  const transfers = {
    path: `${path}/transfers`,
    parameters: {},
    facts: transfersOfToken(known, token),
    factOf: transferFactOf,
  }
  const holders = {
    path: `${path}/holders`,
    parameters: {},
    facts: holdersOf(known, token),
    factOf: holderFactOf,
  }
  return [transfers, holders].flatMap((list) => family(isBusiest, [list]))
}

export function listsOfTransaction(
  known: Knowledge,
  hash: Hash,
  isBusiest: boolean,
): ExpectedList[] {
  const lists = typeFilters.map((types) => ({
    path: `/api/v2/transactions/${hash}/token-transfers`,
    parameters: typed(types),
    facts: transfersOfTransaction(known, hash, types),
    factOf: transferFactOf,
  }))
  return family(isBusiest, lists)
}

/** A topic of the address's logs, null without one: the last of the middle log. */
function topicOf({ contents }: Knowledge, subject: Address): Hash | null {
  const mine = contents.logs.filter(({ log }) => log.address === subject)
  return mine[Math.floor(mine.length / 2)]?.log.topics.at(-1) ?? null
}
