import type { Address, Hash } from '../../libs/chain/hex.ts'
import type { Knowledge } from './knowledge.ts'
import { seeded } from './seeded.ts'

/** Whom to ask about, the busiest first. */
export interface Subjects {
  readonly addresses: readonly Address[]
  readonly tokens: readonly Address[]
  readonly transactions: readonly Hash[]
}

export function subjectsOf({ contents, tokens }: Knowledge): Subjects {
  const addresses = new Map<Address, number>()
  const busy = new Map<Address, number>([...tokens.keys()].map((token) => [token, 0]))
  const met = (address: Address | null) => {
    if (address !== null) addresses.set(address, (addresses.get(address) ?? 0) + 1)
  }
  for (const { transaction } of contents.transactions) {
    met(transaction.from)
    met(transaction.to)
    met(transaction.createdContract)
  }
  for (const { log } of contents.logs) met(log.address)
  for (const { from, to, log } of contents.transfers) {
    met(from)
    met(to)
    busy.set(log.address, (busy.get(log.address) ?? 0) + 1)
  }
  const transactions = new Map(
    contents.transactions.map(({ transaction, transfers }) => [transaction.hash, transfers.length]),
  )
  return {
    addresses: busiestFirst(addresses),
    tokens: busiestFirst(busy),
    transactions: busiestFirst(transactions),
  }
}

const busiestFirst = <K>(counts: ReadonlyMap<K, number>): K[] =>
  [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key)

export interface Chosen<T> {
  readonly subject: T
  readonly isBusiest: boolean
}

/**
 * The busiest few and a random choice of the rest. The same seed prefers the same ones, whatever
 * else there is: so a subject is chosen again after a reorganisation.
 */
export function chosenFrom<T extends string>(
  all: readonly T[],
  { busiest, others, seed }: { busiest: number; others: number; seed: number },
): Chosen<T>[] {
  const rest = all.slice(busiest)
  const ranked = rest.map((item) => ({ item, rank: seeded(seed, item) }))
  ranked.sort((a, b) => a.rank - b.rank)
  return [
    ...all.slice(0, busiest).map((subject) => ({ subject, isBusiest: true })),
    ...ranked.slice(0, others).map(({ item }) => ({ subject: item, isBusiest: false })),
  ]
}
