import { toEventSelector } from 'viem'
import { type Address, type Hash, hash, hex } from '../../chain/hex.ts'
import type { AddressFacts } from '../facts.ts'
import type { LogRow } from '../objects/log.ts'
import type { ExecutedTransaction } from '../summary/executed-transaction.ts'
import { readingsOf, summaryObject } from '../summary/summary.ts'
import { lookupsOf } from './lookups.ts'
import { rendered } from './rendered.ts'
import { aLog, anAddress, aToken, aTransaction, aTransfer, indexOf } from './rows.ts'

/** Transactions of a few tokens and contracts, and the sentences that a summary says of them. */

export const [sender, contract, other, stranger] = [
  anAddress(0xa1),
  anAddress(0xa2),
  anAddress(0xa3),
  anAddress(0xa4),
]
export const [gold, silver, tin, nfts, wrappedCoin, pool] = [
  anAddress(0x70),
  anAddress(0x72),
  anAddress(0x73),
  anAddress(0x71),
  anAddress(0x74),
  anAddress(0x90),
]
export const chainId = 31_337

export type Facts = Partial<AddressFacts> | ((address: Address) => Partial<AddressFacts>)

export const lookupsFor = (addressFacts: Facts = {}) =>
  lookupsOf({
    tokens: [
      aToken(),
      aToken({ token: silver, symbol: 'AG' }),
      aToken({ token: tin, symbol: 'SN', decimals: null }),
      aToken({ token: nfts, symbol: 'ART', decimals: null, standard: indexOf('ERC-721') }),
      aToken({ token: wrappedCoin, symbol: 'WCOIN', decimals: 18 }),
    ],
    addressFacts,
  })

export const executed = (says: Partial<ExecutedTransaction>): ExecutedTransaction => {
  const { transfers = [], logs = [] } = says
  const transaction = says.transaction ?? aTransaction({ input: '0xa9059cbb' })
  return {
    transaction: { ...transaction, transfersCount: transfers.length },
    transfers,
    logs,
  }
}

export const sentences = (says: Partial<ExecutedTransaction>, facts: Facts = {}) => {
  const one = executed(says)
  const lookups = lookupsFor(facts)
  const readings = readingsOf(one, lookups.decodeBudget)
  const summary = summaryObject(one, readings, { lookups, chainId })
  return summary?.data.summaries.map(rendered) ?? []
}

/** The one that clients show. */
export const sentence = (says: Partial<ExecutedTransaction>, facts?: Facts) =>
  sentences(says, facts)[0]

export const word = (value: bigint | Address): Hash =>
  hash(`0x${BigInt(value).toString(16).padStart(64, '0')}`)
export const words = (...values: (bigint | Address)[]) =>
  hex(`0x${values.map((value) => word(BigInt.asUintN(256, BigInt(value))).slice(2)).join('')}`)

interface Emitted {
  readonly by: Address
  readonly at?: number
  readonly indexed?: readonly (bigint | Address)[]
  readonly plain?: readonly (bigint | Address)[]
}

export const emitted = (
  signature: string,
  { by, at = 9, indexed = [], plain = [] }: Emitted,
): LogRow =>
  aLog({
    address: by,
    logIndex: at,
    topics: [hash(toEventSelector(signature)), ...indexed.map(word)],
    data: words(...plain),
  })

export const paying = (value: bigint, input: `0x${string}` = '0x12345678') =>
  aTransaction({ value, input })
export const ether = 10n ** 18n

type Amount = readonly [token: Address, amount: bigint]

interface PoolSwap {
  readonly by?: Address
  readonly at?: number
  readonly from?: Address
  readonly to?: Address
  readonly paid?: Amount
  readonly received?: Amount
}

export const unit = 1_000_000n

/** What a pool took and paid, and its event after that. */
export function swap({ by = pool, at = 1, from = sender, to = sender, ...amounts }: PoolSwap = {}) {
  const { paid = [gold, unit], received = [silver, 3n * unit] } = amounts
  const [gave, got] = [paid, received].map(([token, value]) => ({ token, value }))
  return {
    transfers: [
      aTransfer({ ...gave, from, to: by, logIndex: at }),
      aTransfer({ ...got, from: by, to, logIndex: at + 1 }),
    ],
    log: emitted('Swap(address,uint256,uint256,uint256,uint256,address)', {
      by,
      at: at + 2,
      indexed: [contract, to],
      plain: [paid[1], 0n, 0n, received[1]],
    }),
  }
}

export const all = (...swaps: ReturnType<typeof swap>[]) => ({
  transfers: swaps.flatMap(({ transfers }) => transfers),
  logs: swaps.map(({ log }) => log),
})

export const deposit = (amount: bigint, by = wrappedCoin) =>
  emitted('Deposit(address,uint256)', { by, at: 0, indexed: [contract], plain: [amount] })
export const withdrawal = (amount: bigint, by = wrappedCoin) =>
  emitted('Withdrawal(address,uint256)', { by, at: 30, indexed: [contract], plain: [amount] })

export const tagged = (slug: string): Partial<AddressFacts> => ({
  tags: [{ slug, name: slug, tagType: 'classifier', ordinal: 0, meta: {} }],
})
export const knownCoin = tagged('wrapped-coin')
