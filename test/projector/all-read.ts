import pLimit from 'p-limit'
import type { Address } from '../../libs/chain/hex.ts'
import { type Standard, standards } from '../../libs/chain/token.ts'
import type { Store } from '../../libs/ports/store.ts'
import { holdersOfToken } from '../../libs/queries/holders-of-token/holders-of-token.ts'
import { instancesByKey } from '../../libs/queries/instances/instances.ts'
import { logsOfAddress } from '../../libs/queries/logs-of-address/logs-of-address.ts'
import { logsOfTransaction } from '../../libs/queries/logs-of-transaction.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address/nfts-of-address.ts'
import { progressOf } from '../../libs/queries/progress.ts'
import {
  addressStates,
  placesOfTransactions,
  tokenStates,
  transactionsByHash,
} from '../../libs/queries/rows-by-key/rows-by-key.ts'
import { balancesOfAddress } from '../../libs/queries/tokens-of-address/tokens-of-address.ts'
import { transactionsOfAddress } from '../../libs/queries/transactions-of-address/transactions-of-address.ts'
import { transfersOfToken } from '../../libs/queries/transfers-of-token.ts'
import { transfersOfTransaction } from '../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { part } from '../../libs/tables/tables/balances.ts'
import type { StreamSubjects } from './subjects-of-stream.ts'

/** Reads a list to its end, at once or page by page. */
export type ReadList = <R>(
  page: (after: R | null, limit: number) => Promise<readonly R[]>,
) => Promise<readonly R[]>

interface Asked {
  readonly store: Store
  readonly subjects: StreamSubjects
  readonly list: ReadList
}

/** Rows, or rows by key: by kind of question, then by subject. */
type Answers = Readonly<Record<string, Readonly<Record<string, object>>>>

/** A kind of question, about whom, and how to ask it. */
type Question = readonly [kind: string, about: string, ask: () => Promise<object>]

/** What a query lists. */
type Item<Q extends (...asked: never[]) => Promise<readonly unknown[]>> = Awaited<
  ReturnType<Q>
>[number]

/** Questions under way; the engine has as many threads to serve them. */
const atOnce = 8

/** Kinds of questions to which some answer was not empty. */
export const answeredIn = (read: Answers): string[] =>
  Object.entries(read)
    .filter(([, answers]) => Object.values(answers).some((rows) => Object.keys(rows).length > 0))
    .map(([kind]) => kind)

/** Every answer that the queries give about the subjects: by kind, then by subject. */
export async function allRead(asked: Asked): Promise<Answers> {
  const bounded = pLimit(atOnce)
  const questions = [
    ...transactionLists(asked),
    ...ledgerLists(asked),
    ...stateLists(asked),
    ...lookUps(asked),
  ]
  const answers = await Promise.all(
    questions.map(([kind, about, ask]) =>
      bounded(async () => ({ kind, about, rows: await ask() })),
    ),
  )
  const read: Record<string, Record<string, object>> = {}
  for (const { kind, about, rows } of answers) read[kind] = { ...read[kind], [about]: rows }
  return read
}

function transactionLists({ store, subjects, list }: Asked): Question[] {
  const forms = ([null, 'from', 'to'] as const).flatMap((filter) =>
    (['block_number', 'value', 'fee'] as const).flatMap((sort) =>
      (['desc', 'asc'] as const).map((order) => ({ filter, sort, order })),
    ),
  )
  return subjects.walkedAddresses.flatMap((address) =>
    forms.map((form): Question => {
      const kind = `transactions of ${form.filter ?? 'both sides'}, ${form.sort} ${form.order}`
      const ask = () =>
        list<Item<typeof transactionsOfAddress>>((last, limit) => {
          const after = last && { ...last, fee: last.gasUsed * last.gasPrice }
          return transactionsOfAddress(store, { address, ...form, after, limit })
        })
      return [kind, address, ask]
    }),
  )
}

function ledgerLists({ store, subjects, list }: Asked): Question[] {
  const ofAddress = subjects.walkedAddresses.flatMap((address): Question[] =>
    [null, ...subjects.topics].map((topic) => [
      topic === null ? 'logs' : 'logs of a topic',
      `${address} ${topic}`,
      () =>
        list<Item<typeof logsOfAddress>>((after, limit) =>
          logsOfAddress(store, { address, topic, after, limit }),
        ),
    ]),
  )
  const ofToken = subjects.tokens.map(
    (token): Question => [
      'transfers of a token',
      token,
      () =>
        list<Item<typeof transfersOfToken>>((after, limit) =>
          transfersOfToken(store, { token, after, limit }),
        ),
    ],
  )
  const types: (readonly Standard[] | null)[] = [null, ['ERC-20'], ['ERC-721']]
  const filterOf = (standards: readonly Standard[] | null) =>
    standards && { standards, statesOf: (tokens: readonly Address[]) => tokenStates(store, tokens) }
  const ofTransaction = subjects.walkedHashes.flatMap((hash): Question[] => [
    ['logs of a transaction', hash, () => logsOfTransaction(store, { hash, limit: 1_000 })],
    ...types.map((of): Question => {
      const ask = () =>
        list<Item<typeof transfersOfTransaction>>((after, limit) =>
          transfersOfTransaction(store, { hash, filter: filterOf(of), after, limit }),
        )
      return [`transfers of a transaction, ${of ?? 'all'}`, hash, ask]
    }),
  ])
  return [...ofAddress, ...ofToken, ...ofTransaction]
}

function stateLists({ store, subjects, list }: Asked): Question[] {
  const ofAddress = subjects.walkedAddresses.flatMap((address): Question[] => [
    ...[standards, ['ERC-20'] as const].map((of): Question => {
      const question = { holder: address, standards: of }
      const ask = () =>
        list<Item<typeof balancesOfAddress>>((after, limit) =>
          balancesOfAddress(store, { ...question, after, limit }),
        )
      return [`balances of ${of}`, address, ask]
    }),
    [
      'NFTs',
      address,
      () =>
        list<Item<typeof nftsOfAddress>>((last, limit) => {
          const after = last && { ...last, standard: standards[last.standard] ?? 'ERC-20' }
          return nftsOfAddress(store, { owner: address, standards, after, limit })
        }),
    ],
  ])
  const ofToken = subjects.tokens.map((token): Question => {
    const ask = () =>
      list<Item<typeof holdersOfToken>>((last, limit) => {
        const tokenId = last?.part === part.fungible ? null : (last?.tokenId ?? null)
        return holdersOfToken(store, { token, after: last && { ...last, tokenId }, limit })
      })
    return ['holders', token, ask]
  })
  return [...ofAddress, ...ofToken]
}

/** Maps lie in no order of meaning: as objects they compare by key. */
function lookUps({ store, subjects }: Asked): Question[] {
  const { hashes, addresses, tokens, tokenIds } = subjects
  const ids = tokens.flatMap((token) => tokenIds.map((tokenId) => ({ token, tokenId })))
  const asks: Record<string, () => Promise<ReadonlyMap<string | number, unknown>>> = {
    transactions: () => transactionsByHash(store, hashes),
    'places of transactions': () => placesOfTransactions(store, hashes),
    tokens: () => tokenStates(store, addresses),
    addresses: () => addressStates(store, addresses),
    instances: () => instancesByKey(store, ids),
    progress: () => progressOf(store),
  }
  return Object.entries(asks).map(([kind, ask]) => [
    `${kind} looked up`,
    'all of them',
    async () => Object.fromEntries(await ask()),
  ])
}
