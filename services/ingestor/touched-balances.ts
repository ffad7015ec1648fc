import { toEventSelector } from 'viem'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { transfersOfLog, wrappingHolder } from '../../libs/projections/transfers.ts'
import type { BalanceRef } from './pending-balances.ts'

/** Events that change the supply without a transfer: Tether's USDT. */
const supplyTopics: ReadonlySet<string | undefined> = new Set([
  toEventSelector('Issue(uint256)'),
  toEventSelector('Redeem(uint256)'),
])

/** Events that change the supply and all balances with it: Ampleforth, Olympus, Lido, Origin. */
const rebaseTopics: ReadonlySet<string | undefined> = new Set([
  toEventSelector('LogRebase(uint256,uint256)'),
  toEventSelector('LogRebase(uint256,uint256,uint256)'),
  toEventSelector('TokenRebased(uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
  toEventSelector('TotalSupplyUpdated(uint256,uint256,uint256)'),
  toEventSelector('TotalSupplyUpdatedHighres(uint256,uint256,uint256)'),
])

/** Whether transfers do not explain the balances of the log's token from this log on. */
export const marksNonStandard = (log: TransactionLog): boolean =>
  wrappingHolder(log) !== null || rebaseTopics.has(log.topics[0])

const changesSupply = ({ topics: [topic] }: TransactionLog): boolean =>
  supplyTopics.has(topic) || rebaseTopics.has(topic)

/**
 * Balances that a block touched of tokens whose balances transfers do not explain, by token; the
 * supply of those that logged a deposit or a withdrawal, and of any token that logged another
 * change of it. Accounts of deposits and withdrawals come first: the others' balances can still be
 * derived if they are not observed.
 */
export function touchedBalances(
  { transactions }: Block,
  deviates: (token: Address) => boolean,
): ReadonlyMap<Address, readonly BalanceRef[]> {
  const changed = new Map<Address, Set<Address>>()
  const moved = new Map<Address, Set<Address>>()
  const add = (to: typeof changed, token: Address, holders: readonly Address[]) => {
    const known = to.get(token) ?? new Set()
    for (const holder of holders) if (holder !== zeroAddress) known.add(holder)
    to.set(token, known)
  }
  const isAsked = new Map<Address, boolean>()
  for (const log of transactions.flatMap(({ logs }) => logs)) {
    const token = log.address
    if (changesSupply(log)) add(changed, token, [])
    const deviating = isAsked.get(token) ?? deviates(token)
    isAsked.set(token, deviating)
    if (!deviating) continue
    const holder = wrappingHolder(log)
    if (holder) add(changed, token, [holder])
    for (const { form, from, to } of transfersOfLog(log)) {
      if (form === 'ERC-20') add(moved, token, [from, to])
    }
  }
  const tokens = [...new Set([...changed.keys(), ...moved.keys()])]
  return new Map(
    tokens.map((token) => {
      const own = changed.get(token)
      const supply = own ? [null] : []
      const holders = new Set([...(own ?? []), ...supply, ...(moved.get(token) ?? [])])
      return [token, [...holders].map((holder) => ({ token, holder }))] as const
    }),
  )
}
