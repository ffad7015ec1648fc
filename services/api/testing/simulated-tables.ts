import type { Address, Hash, Hex } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import { noInstanceFacts } from '../../../libs/presenters/facts.ts'
import type { LogRow } from '../../../libs/presenters/objects/log.ts'
import {
  aBalance,
  aHash,
  aHolder,
  aLog,
  anAddress,
  anAddressState,
  anInstance,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { contractOf } from '../../../libs/queries/contract-abis.ts'
import { type InstanceKey, instanceKey } from '../../../libs/queries/instances/instances.ts'
import type { Row } from '../../../libs/tables/declare/table.ts'
import type { addressLabels } from '../../../libs/tables/tables/addresses.ts'
import type { prices } from '../../../libs/tables/tables/prices.ts'
import { rateHours, type tokenMarket, type tokenState } from '../../../libs/tables/tables/tokens.ts'
import { packedTransfers } from '../../../libs/tables/tables/transaction-columns.ts'
import type { Answers } from './answers.ts'

const version = { position: position(1), isDeleted: 0 }

/** Whom the checker's tables are about. */
export const cast = {
  tokens: [anAddress(0x70), anAddress(0x71)],
  people: [anAddress(0xa1), anAddress(0xa2), anAddress(0xa3)],
  transactions: [aHash(0x7a), aHash(0x7b)],
  instances: ['1', '2'],
} as const

const [coin, collection] = cast.tokens
const daySeconds = 86_400

/** Times of blocks, so that transactions become a day old in the middle of a run. */
export const clock = { first: 1_700_000_000, blockSeconds: 12, firstBlock: 1_000 }
const transactionTime = clock.first - daySeconds + 25 * clock.blockSeconds
export const historyFrom = transactionTime + daySeconds
export const transactionDay = new Date(transactionTime * 1_000).toISOString().slice(0, 10)

/** What all transactions call, and the topic of all logs. */
export const called: Hex = '0xca11ab1e'
/** Which contract all transactions call. */
export const callee = cast.people[1]
const topic = aHash(0x109)

/** A thing that changes by itself, as `family|subject`; its content is a number, 0: absent. */
export type Component = string

/** The newest hour whose rates are there: it only grows. */
export const rateHoursComponent: Component = `token_rates|${rateHours}`

/** All components, each in its family. */
export const components: readonly Component[] = [
  ...cast.tokens.flatMap((token) =>
    [
      'transfers_by_token',
      'holders',
      'token_state',
      'token_state.names',
      'token_market',
      'token_market.names',
    ].map((family) => `${family}|${token}`),
  ),
  ...cast.people.flatMap((person) =>
    [
      'transactions_by_address',
      'logs_by_address',
      'balances_by_value',
      'nfts_by_owner',
      'address_state',
      'address_labels',
      'contract_abis',
    ].map((family) => `${family}|${person}`),
  ),
  ...cast.transactions.flatMap((hash) =>
    ['transactions', 'transfers_by_transaction', 'logs_by_transaction'].map(
      (family) => `${family}|${hash}`,
    ),
  ),
  ...cast.instances.flatMap((id) =>
    ['instances', 'instance_metadata'].map((family) => `${family}|${collection}|${id}`),
  ),
  `signatures|${called}`,
  rateHoursComponent,
  'prices|now',
  `prices|${transactionDay}`,
]

/** Blocks of a list that no reorganisation of a run reaches, newest first. */
const deepBlocks = [700, 699, 698]
/** The least that a run can change. */
export const changingFrom = 800

/** The block in which a list by block holds what changes: near the head, by its content. */
export const blockOf = (stamp: number): number => clock.firstBlock - 9 + (stamp % 9)

/** Content of a component now. */
type Now = (component: Component) => number

const transactionRow = (hash: Hash, stamp: number, blockNumber = clock.firstBlock - 5) =>
  aTransaction({
    hash,
    value: BigInt(stamp),
    transfersCount: 1,
    blockNumber,
    timestamp: transactionTime,
    from: cast.people[0],
    to: callee,
    input: called,
  })

const transfers = (hash: Hash, stamp: number) => {
  const [token, tokenId] = stamp % 2 === 0 ? [coin, null] : [collection, 1n]
  const form = indexOf(tokenId === null ? 'ERC-20' : 'ERC-1155')
  const parties = { from: cast.people[0], to: cast.people[2] }
  const shared = { transactionHash: hash, method: called, recipient: callee }
  const row = { ...shared, value: BigInt(stamp), token, tokenId, form, ...parties }
  return stamp === 0 ? [] : [aTransfer({ ...row, blockNumber: clock.firstBlock - 5 })]
}

/** As the row of a list contains them. */
const firstTransfers = (hash: Hash, stamp: number): Hex =>
  packedTransfers(aHash(0xb1), transfers(hash, stamp))

const log = (says: Partial<LogRow>, stamp: number) => {
  const data = `0x${stamp.toString(16).padStart(64, '0')}` as const
  const row = { recipient: null, blockNumber: 990, topics: [topic], ...says, data }
  return stamp === 0 ? [] : [aLog(row)]
}

interface InBlock {
  readonly blockNumber: number
}

/** A list by block: what changes, and below it rows that stand for good. */
function byBlock<R extends InBlock>(
  changing: readonly R[],
  deep: (blockNumber: number) => R,
  asked: { after: InBlock | null; limit: number; order?: 'asc' | 'desc' },
): R[] {
  const { after, limit, order = 'desc' } = asked
  const newestFirst = [...changing, ...deepBlocks.map(deep)]
  const rows = order === 'desc' ? newestFirst : newestFirst.reverse()
  const isBehind = ({ blockNumber }: InBlock) =>
    after === null ||
    (order === 'desc' ? blockNumber < after.blockNumber : blockNumber > after.blockNumber)
  return rows.filter(isBehind).slice(0, limit)
}

/** Tables of which every row tells the content of its component. */
export function tablesOf(now: Now) {
  const of = (family: string, subject: string) => now(`${family}|${subject}`)
  return {
    ...listsOf(of),
    async addressStates(addresses) {
      return each(addresses, (address) => {
        const stamp = of('address_state', address)
        return stamp === 0 ? null : anAddressState({ address, isContract: stamp % 2 === 1 })
      })
    },
    addressStateSubjects: async () => cast.people.filter((one) => of('address_state', one) > 0),
    addressLabelSubjects: async () => cast.people.filter((one) => of('address_labels', one) > 0),
    contractAbiSubjects: async () => cast.people.filter((one) => of('contract_abis', one) > 0),
    tokenMarketSubjects: async () =>
      cast.tokens.filter((one) =>
        ['token_market', 'token_market.names'].some((family) => of(family, one) > 0),
      ),
    async instancesByKey(keys) {
      const found = each(keys, (key) => {
        const stamp = of('instances', instanceKey(key))
        const owner = cast.people[stamp % cast.people.length] ?? null
        return stamp === 0 ? null : anInstance({ ...key, owner, isUnique: true })
      })
      return byName(found)
    },
    async instanceFacts(keys) {
      const found = each(keys, (key) => {
        const stamp = of('instance_metadata', instanceKey(key))
        return stamp === 0 ? null : { ...noInstanceFacts, metadata: { confirmations: stamp } }
      })
      return byName(found)
    },
    async abiEntries(keys) {
      return each(keys, (key) => {
        const stamp = of('contract_abis', contractOf(key))
        if (stamp === 0) return null
        const entry = { name: `A${stamp}`, inputs: [] }
        return key.endsWith(called) ? { kind: 'function', ...entry } : { kind: 'event', ...entry }
      })
    },
    async signatureEntries(selectors) {
      return each(selectors, (selector) => {
        const stamp = selector === called ? of('signatures', selector) : 0
        return stamp === 0 ? null : [{ kind: 'function', name: `S${stamp}`, inputs: [] }]
      })
    },
  } satisfies Answers
}

type RowsBy<K, T> = (subjects: readonly K[]) => Promise<ReadonlyMap<K, readonly Row<T>[]>>

/** Rows of the tables that projectors write through to the shared cache, by subject. */
export interface HotRows {
  readonly tokens: RowsBy<Address, typeof tokenState>
  readonly market: RowsBy<Address, typeof tokenMarket>
  readonly labels: RowsBy<Address, typeof addressLabels>
  readonly prices: RowsBy<string, typeof prices>
}

/** The same of the tables that projectors write through. */
export function hotRowsOf(now: Now): HotRows {
  const of = (family: string, subject: string) => now(`${family}|${subject}`)
  return {
    async tokens(tokens) {
      return each(tokens, (token) => {
        const names = of('token_state.names', token)
        const standard = indexOf(token === coin || names % 2 === 1 ? 'ERC-20' : 'ERC-1155')
        const holdersCount = of('token_state', token)
        return names === 0 ? null : [aToken({ token, standard, name: `N${names}`, holdersCount })]
      })
    },
    async market(tokens) {
      return each(tokens, (token) => {
        const [names, rate] = [of('token_market.names', token), of('token_market', token)]
        const rateFact = { exchangeRate: `${rate}` }
        const all = { volume24h: null, marketCap: null, circulatingSupply: null, ...rateFact }
        const facts = [
          ['market', rate === 0 ? {} : all],
          ['correction', names === 0 ? {} : { symbol: `S${names}` }],
        ] as const
        return facts.map(([kind, fact]) => ({
          token,
          kind,
          fact: JSON.stringify(fact),
          ...version,
        }))
      })
    },
    async labels(addresses) {
      return each(addresses, (address) => {
        const stamp = of('address_labels', address)
        const fact = JSON.stringify({ isVerified: false, name: `L${stamp}` })
        return stamp === 0 ? null : [{ address, kind: 'verification', fact, ...version }]
      })
    },
    async prices(moments) {
      return each(moments, (moment) => {
        const stamp = of('prices', moment)
        return stamp === 0 ? null : [{ moment, price: `${stamp}`, ...version }]
      })
    },
  }
}

function each<K, V>(keys: readonly K[], find: (key: K) => V | null): Map<K, V> {
  return new Map(
    keys.flatMap((key) => {
      const found = find(key)
      return found === null ? [] : [[key, found] as const]
    }),
  )
}

const byName = <V>(found: ReadonlyMap<InstanceKey, V>) =>
  new Map([...found].map(([key, value]) => [instanceKey(key), value]))

function balancesOf(of: (family: string, subject: string) => number) {
  return {
    balancesOfAddress: async ({ holder, listed, limit }) => {
      const stamp = of('balances_by_value', holder)
      const rows = [coin, collection].flatMap((token) =>
        ifThere(stamp, aBalance({ holder, value: BigInt(stamp), token })),
      )
      return (listed === undefined ? rows : await listed(rows)).slice(0, limit)
    },
    // Every other time they are too many to be read at once.
    allBalancesOfAddress: async ({ holder }) => {
      const stamp = of('balances_by_value', holder)
      if (stamp % 2 === 1) return null
      return cast.tokens.flatMap((token) =>
        ifThere(stamp, aBalance({ holder, value: BigInt(stamp), token })),
      )
    },
    ratedBalancesOfAddress: async ({ holder, tokens }) => {
      const stamp = of('balances_by_value', holder)
      const row = aBalance({ holder, value: BigInt(stamp), token: coin })
      return tokens.includes(coin) ? ifThere(stamp, row) : []
    },
    ratesOfHour: async (hour) =>
      of('token_rates', rateHours) < hour ? null : new Map([[coin, `${hour}`]]),
  } satisfies Answers
}

const ifThere = <R>(stamp: number, row: R): R[] => (stamp === 0 ? [] : [row])

function listsOf(of: (family: string, subject: string) => number) {
  return {
    ...balancesOf(of),
    transactionsOfAddress: async ({ address, sort, ...asked }) => {
      const stamp = of('transactions_by_address', address)
      const [hash] = cast.transactions
      const row = transactionRow(hash, stamp, blockOf(stamp))
      const changing = { ...row, firstTransfers: firstTransfers(hash, stamp) }
      if (sort !== 'block_number') return ifThere(stamp, changing)
      const deep = (blockNumber: number) => ({
        ...transactionRow(aHash(blockNumber), 0, blockNumber),
        transfersCount: 0,
      })
      return byBlock(ifThere(stamp, changing), deep, asked)
    },
    nftsOfAddress: async ({ owner }) => {
      const stamp = of('nfts_by_owner', owner)
      const nft = { owner, token: collection, tokenId: 2n, standard: indexOf('ERC-1155') }
      return ifThere(stamp, anNft({ ...nft, value: BigInt(stamp) }))
    },
    transfersOfToken: async ({ token, ...asked }) => {
      const stamp = of('transfers_by_token', token)
      const tokenId = token === coin ? null : 2n
      const form = indexOf(token === coin ? 'ERC-20' : 'ERC-1155')
      // As in rows from before there was a recipient: signatures alone name the method.
      const row = { token, tokenId, form, value: BigInt(stamp), method: called, recipient: null }
      const changing = aTransfer({ ...row, blockNumber: blockOf(stamp) })
      const deep = (blockNumber: number) => aTransfer({ ...row, blockNumber })
      return byBlock(ifThere(stamp, changing), deep, asked)
    },
    logsOfAddress: async ({ address, topic: _, ...asked }) => {
      const stamp = of('logs_by_address', address)
      const changing = log({ address, blockNumber: blockOf(stamp) }, stamp)
      const deep = (blockNumber: number) =>
        aLog({ address, recipient: null, blockNumber, topics: [topic] })
      return byBlock(changing, deep, asked)
    },
    transfersOfTransaction: async ({ hash, filter }) => {
      const rows = transfers(hash, of('transfers_by_transaction', hash))
      if (filter === null) return rows
      const states = await filter.statesOf(rows.map(({ token }) => token))
      // As a token that is not known yet is judged by its log.
      return rows.filter(({ token, form }) => {
        return (states.get(token)?.standard ?? form) === indexOf('ERC-20')
      })
    },
    holdersOfToken: async ({ token }) => {
      const stamp = of('holders', token)
      return ifThere(stamp, aHolder({ token, holder: cast.people[2], value: BigInt(stamp) }))
    },
    transactionsByHash: async (hashes) =>
      new Map(
        hashes.flatMap((hash) => {
          const stamp = of('transactions', hash)
          return ifThere(stamp, [hash, transactionRow(hash, stamp)] as const)
        }),
      ),
    placesOfTransactions: async (hashes) =>
      new Map(
        hashes.flatMap((hash) => {
          const stamp = of('transactions', hash)
          return ifThere(stamp, [hash, transactionRow(hash, stamp)] as const)
        }),
      ),
    logsOfTransaction: async ({ hash }) =>
      log({ address: cast.people[1], transactionHash: hash }, of('logs_by_transaction', hash)),
  } satisfies Answers
}
