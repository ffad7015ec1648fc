import { type Address, hex } from '../../libs/chain/hex.ts'
import {
  aBalance,
  aHash,
  aHolder,
  anAddress,
  anAddressState,
  anInstance,
  anNft,
  aToken,
  indexOf,
} from '../../libs/presenters/testing/rows.ts'
import { instanceKey } from '../../libs/queries/instances/instances.ts'
import { part } from '../../libs/tables/tables/balances.ts'
import type { ListedTransaction } from '../../libs/tables/tables/transactions.ts'
import type { Answers } from '../../services/api/testing/answers.ts'
import {
  Contents,
  type MetadataKind,
  metadataKinds,
  metadataOf,
  metadataText,
  withinBytes,
} from './contents.ts'

/** A page whose contents strangers chose. */
export interface CraftedPage {
  readonly name: string
  readonly target: string
  readonly answers: Answers
}

const subject = anAddress(0xa1)
const longName = '"\u0001é'.repeat(21)

/** Rows by key, made once: what is measured is not their making. */
function madeOnce<K, S extends string, R>(keyOf: (key: K) => S, make: (key: K) => R) {
  const made = new Map<S, R>()
  return async (keys: readonly K[]): Promise<ReadonlyMap<S, R>> => {
    const found = new Map<S, R>()
    for (const one of keys) {
      const key = keyOf(one)
      const row = made.get(key) ?? make(one)
      made.set(key, row)
      found.set(key, row)
    }
    return found
  }
}

const itself = (address: Address): Address => address

/** Every token has a long name, every address runs the code of another one. */
function referred(by: Contents, kind: MetadataKind, characters: number): Answers {
  const facts = metadataText(by, kind, characters)
  return {
    tokenStates: madeOnce(itself, (token) => aToken({ token, name: longName, symbol: longName })),
    addressStates: madeOnce(itself, (address) =>
      anAddressState({ address, delegate: delegateOf(address) }),
    ),
    instancesByKey: madeOnce(instanceKey, (key) =>
      anInstance({ ...key, owner: delegateOf(key.token) }),
    ),
    // Parsed anew: that is part of reading them.
    instanceFacts: async (keys) =>
      new Map(keys.map((key) => [instanceKey(key), metadataOf(facts)] as const)),
  }
}

const delegateOf = (address: Address): Address =>
  anAddress(Number.parseInt(address.slice(-8), 16) + 2 ** 40)

type Says = (by: Contents) => Partial<ListedTransaction>

/** What the transactions of a page are full of. */
const transactionShapes: Readonly<Record<string, Says>> = {
  actions: (by) => ({ actions: by.actions(32) }),
  authorizations: (by) => ({ type: 4, authorizations: by.authorizations(500) }),
  'first transfers': (by) => ({ transfersCount: 11, firstTransfers: by.firstTransfers(0) }),
  'first transfers of instances': (by) => ({
    transfersCount: 11,
    firstTransfers: by.firstTransfers(indexOf('ERC-1155')),
  }),
  'multicall of 200 x 4': (by) => ({ input: by.multicall(200, 4) }),
  'multicall of 900 x 60': (by) => ({ input: by.multicall(900, 60) }),
  'swap path of 900': (by) => ({ input: by.swapPath(900) }),
  'swap path of 30': (by) => ({ input: by.swapPath(30) }),
  'long reason': (by) => ({ status: 0, revertReason: by.reason(60_000) }),
  'short reason': (by) => ({ status: 0, revertReason: by.reason(3_000) }),
  'input that is not decoded': (by) => ({ input: hex(`0x12345678${by.digits(80_000)}`) }),
  'first transfers and actions': (by) => ({
    transfersCount: 11,
    firstTransfers: by.firstTransfers(indexOf('ERC-1155')),
    actions: by.actions(32),
    input: by.swapPath(30),
  }),
  'everything at once': (by) => ({
    type: 4,
    transfersCount: 11,
    firstTransfers: by.firstTransfers(indexOf('ERC-1155')),
    actions: by.actions(32),
    authorizations: by.authorizations(30),
    input: by.multicall(60, 4),
    status: 0,
    revertReason: by.reason(900),
  }),
}

const textOf = (row: ListedTransaction): number =>
  row.input.length + row.actions.length + row.authorizations.length + row.firstTransfers.length

/** A page of transactions, each of one of these shapes. */
function transactionsPage(name: string, seed: number, shapes: readonly Says[]): CraftedPage {
  const by = new Contents(seed)
  const rows = Array.from({ length: 101 }, () =>
    by.transaction((shapes[by.random.below(shapes.length)] ?? (() => ({})))(by)),
  )
  const read = withinBytes(rows, textOf)
  return {
    name: `transactions: ${name}`,
    target: `/api/v2/addresses/${subject}/transactions?items_count=100`,
    answers: { ...referred(by, 'urls', 1_000), transactionsOfAddress: async () => [...read] },
  }
}

function logsPage(name: string, seed: number, shape: (by: Contents) => object): CraftedPage {
  const by = new Contents(seed)
  const rows = withinBytes(
    Array.from({ length: 101 }, () => by.log(shape(by))),
    ({ data }) => data.length,
  )
  return {
    name: `logs: ${name}`,
    target: `/api/v2/addresses/${subject}/logs?items_count=100`,
    answers: { ...referred(by, 'urls', 1_000), logsOfAddress: async () => [...rows] },
  }
}

/** Pages of items that show instances, with metadata of these characters each. */
function instancePages(kind: MetadataKind, characters: number, seed: number): CraftedPage[] {
  const by = new Contents(seed)
  const of = `metadata of ${kind}, ${characters} characters`
  const ids = Array.from({ length: 101 }, (_, at) => ({ token: by.address(), tokenId: BigInt(at) }))
  const transfers = ids.map((id) => by.transfer({ ...id, form: indexOf('ERC-1155') }))
  const balances = ids.map((id) =>
    aBalance({ ...id, part: part.instance, standard: indexOf('ERC-1155') }),
  )
  const answers = referred(by, kind, characters)
  const paged = '?items_count=100'
  return [
    {
      name: `NFTs: ${of}`,
      target: `/api/v2/addresses/${subject}/nft${paged}`,
      answers: { ...answers, nftsOfAddress: async () => ids.map((id) => anNft(id)) },
    },
    {
      name: `transfers of a token: ${of}`,
      target: `/api/v2/tokens/${subject}/transfers${paged}`,
      answers: { ...answers, transfersOfToken: async () => transfers },
    },
    {
      name: `transfers of a transaction: ${of}`,
      target: `/api/v2/transactions/${aHash(1)}/token-transfers${paged}`,
      answers: { ...answers, transfersOfTransaction: async () => transfers },
    },
    {
      name: `balances: ${of}`,
      target: `/api/v2/addresses/${subject}/tokens${paged}`,
      answers: { ...answers, balancesOfAddress: async () => balances },
    },
    {
      name: `balances without pages: ${of}`,
      target: `/api/v2/addresses/${subject}/token-balances`,
      answers: { ...answers, allBalancesOfAddress: async () => balances },
    },
  ]
}

function otherPages(seed: number): CraftedPage[] {
  const by = new Contents(seed)
  const answers = referred(by, 'urls', 2_000)
  const holders = Array.from({ length: 101 }, () =>
    aHolder({ token: subject, holder: by.address() }),
  )
  const transaction = by.transaction({ input: by.multicall(900, 60), actions: by.actions(32) })
  const transfers = Array.from({ length: 201 }, () =>
    by.transfer({ token: by.address(), tokenId: 7n, form: indexOf('ERC-1155') }),
  )
  const logs = Array.from({ length: 200 }, () => by.batchLog(100))
  const executed: Answers = {
    ...answers,
    transactionsByHash: async ([hash]) =>
      hash === undefined ? new Map() : new Map([[hash, { ...transaction, hash }]]),
    transfersOfTransaction: async () => transfers,
    logsOfTransaction: async () => logs,
  }
  const summary = `/api/v2/transactions/${aHash(2)}/summary`
  return [
    {
      name: 'holders',
      target: `/api/v2/tokens/${subject}/holders?items_count=100`,
      answers: { ...answers, holdersOfToken: async () => holders },
    },
    { name: 'token', target: `/api/v2/tokens/${subject}`, answers },
    { name: 'summary', target: summary, answers: executed },
    {
      name: 'summary: request',
      target: `${summary}?just_request_body=true`,
      answers: executed,
    },
  ]
}

/** Transfers in the form of amounts, whose tokens turn out to be of ERC-721. */
function amountsOfInstances(seed: number): CraftedPage {
  const shape: Says = (by) => ({ transfersCount: 11, firstTransfers: by.firstTransfers(0) })
  const { answers, target } = transactionsPage('', seed, [shape])
  const standard = indexOf('ERC-721')
  const tokenStates = madeOnce(itself, (token) => aToken({ token, name: longName, standard }))
  return {
    name: 'transactions: first transfers of instances in the form of amounts',
    target,
    answers: { ...answers, tokenStates },
  }
}

/** Pages of one shape each. */
export const craftedPages = (seed: number): CraftedPage[] => [
  ...Object.entries(transactionShapes).map(([name, shape]) =>
    transactionsPage(name, seed, [shape]),
  ),
  amountsOfInstances(seed),
  logsPage('TransferBatch of 500', seed, (by) => by.batchLog(500)),
  logsPage('TransferBatch of 20', seed, (by) => by.batchLog(20)),
  logsPage('data that is not decoded', seed, (by) => ({ data: hex(`0x${by.digits(80_000)}`) })),
  ...metadataKinds.flatMap((kind) =>
    [1_000, 40_000].flatMap((size) => instancePages(kind, size, seed)),
  ),
  ...otherPages(seed),
]

/** A page of what the seed chooses. */
export function randomPage(seed: number): CraftedPage {
  const { random } = new Contents(seed)
  const kinds = Object.values(transactionShapes)
  const chosen = kinds.filter(() => random.below(3) === 0)
  const size = 200 * 2 ** random.below(8)
  const count = 1 + random.below(1_000)
  const kind = metadataKinds[random.below(metadataKinds.length)] ?? 'urls'
  const instances = instancePages(kind, size, seed)
  const pages = [
    () => transactionsPage('random mixture', seed, chosen.length === 0 ? kinds : chosen),
    () =>
      transactionsPage('random call', seed, [
        (by) => ({ input: by.multicall(1 + by.random.below(count), by.random.below(64)) }),
      ]),
    () => logsPage('random batches', seed, (by) => by.batchLog(1 + by.random.below(count))),
    ...instances.map((page) => () => page),
  ]
  const page = pages[random.below(pages.length)] ?? pages[0]
  if (page === undefined) throw new Error('no kind of page')
  return page()
}
