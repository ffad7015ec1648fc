import type { Action, Sum } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import { dataWords, wordOf } from '../../chain/log-words.ts'
import type { LogRow } from '../log.ts'
import type { TransferRow } from '../transfer.ts'
import { type ExecutedTransaction, isWhole } from './executed-transaction.ts'
import { poolShareTopics, poolSwapTopics } from './swap-events.ts'

/** One swap of a pool: what was paid into it, and what it paid out. */
export interface Hop {
  /** Null where only the folded action is known. */
  readonly pool: Address | null
  readonly paid: Sum
  readonly received: Sum
  /** Who paid, as the transfers say. */
  readonly payers: readonly Address[]
}

/**
 * The swaps of pools, in the order of the logs. A pool's log says amounts, not tokens: they are
 * the one token that came to the pool since its log before, and the one that left it. Where a
 * transaction is too long to be read whole, its folded actions tell.
 */
export function hopsOf(executed: ExecutedTransaction, actions: readonly Action[]): readonly Hop[] {
  if (!isWhole(executed)) return actions.flatMap(hopOfAction)
  const { logs, transfers } = executed
  const readBefore = new Map<Address, number>()
  return logs.flatMap((log) => {
    const [topic = ''] = log.topics
    const isSwap = poolSwapTopics.has(topic)
    if (!isSwap && !poolShareTopics.has(topic)) return []
    const after = readBefore.get(log.address) ?? -1
    readBefore.set(log.address, log.logIndex)
    if (!isSwap) return []
    const moved = transfers.filter(
      ({ logIndex, form }) => form === 0 && logIndex > after && logIndex < log.logIndex,
    )
    const hop = hopOf(log.address, moved)
    return hop !== null && isSaid(log, hop) ? [hop] : []
  })
}

function hopOfAction({ type, sums: [paid, received] }: Action): readonly Hop[] {
  if (type !== 'swap' || paid === undefined || received === undefined) return []
  return [{ pool: null, paid, received, payers: [] }]
}

function hopOf(pool: Address, transfers: readonly TransferRow[]): Hop | null {
  const net = new Map<Address, bigint>()
  const payers = new Set<Address>()
  for (const { token, from, to, value } of transfers) {
    // A pool's own token is the share in it, never one of its two.
    if (token === pool || from === to) continue
    if (to === pool) {
      net.set(token, (net.get(token) ?? 0n) + value)
      payers.add(from)
    }
    if (from === pool) net.set(token, (net.get(token) ?? 0n) - value)
  }
  const [paid, morePaid] = [...net].filter(([, amount]) => amount > 0n)
  const [received, moreReceived] = [...net].filter(([, amount]) => amount < 0n)
  if (paid === undefined || received === undefined) return null
  if (morePaid !== undefined || moreReceived !== undefined) return null
  return {
    pool,
    paid: { token: paid[0], amount: paid[1] },
    received: { token: received[0], amount: -received[1] },
    payers: [...payers],
  }
}

/** No pool's event has more. */
const wordsMax = 16

/** Whether the log has one of the amounts: tokens that take a tax spoil the other. */
function isSaid(log: LogRow, { paid, received }: Hop): boolean {
  for (let at = 0; at < Math.min(dataWords(log.data), wordsMax); at++) {
    const word = BigInt(wordOf(log.data, at))
    const amount = BigInt.asIntN(256, word)
    if (word === paid.amount || word === received.amount || -amount === received.amount) return true
  }
  return false
}
