import type { Block } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import type { StateQuestion } from '../../libs/ports/node.ts'
import { transfersOfLog } from '../../libs/projections/transfers.ts'
import { wrappedBy } from '../../libs/projections/wrapping.ts'

export interface Questions {
  /** Null if the block touched nothing that deviates. */
  readonly question: StateQuestion | null
  /** Balances above the bound, which nobody asks for. */
  readonly leftOut: number
}

interface Pair {
  readonly token: Address
  readonly holder: Address
}

/**
 * What to ask after a block of the tokens whose balances transfers do not explain: the balance of
 * every account that it touched, and the supply. Accounts of deposits and withdrawals come first:
 * the others' balances can still be derived if the bound leaves them out.
 */
export function questionsAfter(
  block: Block,
  deviates: (token: Address) => boolean,
  balancesMax: number,
): Questions {
  const changed = new Map<string, Pair>()
  const moved = new Map<string, Pair>()
  for (const log of block.transactions.flatMap(({ logs }) => logs)) {
    if (!deviates(log.address)) continue
    const token = log.address
    const holder = wrappedBy(log)
    if (holder) changed.set(token + holder, { token, holder })
    for (const { form, from, to } of transfersOfLog(log)) {
      if (form !== 'ERC-20') continue
      moved.set(token + from, { token, holder: from })
      moved.set(token + to, { token, holder: to })
    }
  }
  const all = [...new Map([...changed, ...moved]).values()].filter(
    ({ holder }) => holder !== zeroAddress,
  )
  if (all.length === 0) return { question: null, leftOut: 0 }
  const balances = all.slice(0, balancesMax)
  return { question: withBalances(block, null, balances), leftOut: all.length - balances.length }
}

/** The question after a block with more balances, and the supplies of all their tokens. */
export function withBalances(
  { number, hash }: Block,
  question: StateQuestion | null,
  more: readonly Pair[],
): StateQuestion {
  const pairs = [...(question?.balances ?? []), ...more]
  const balances = [...new Map(pairs.map((it) => [it.token + it.holder, it])).values()]
  const supplies = [...new Set(balances.map(({ token }) => token))]
  return { block: number, hash, balances, supplies }
}
