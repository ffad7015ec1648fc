import type { Sum } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import type { Hop } from './hops.ts'

/** What several hops do together: all of one token in, all of another out. */
export interface Route {
  readonly paid: Sum
  readonly received: Sum
}

/** Of a token that hops pass on, how much may stay behind: fees of routers, in parts of 100. */
const leftBehindPercentMax = 2n

/**
 * Hops as one trade: one token is only paid, one is only received, and every other is passed on.
 * Null for anything else, such as trades of several people side by side, or a circle.
 */
export function routeOf(hops: readonly Hop[]): Route | null {
  const paid = totals(hops.map((hop) => hop.paid))
  const received = totals(hops.map((hop) => hop.received))
  const [source, anotherSource] = [...paid.keys()].filter((token) => !received.has(token))
  const [sink, anotherSink] = [...received.keys()].filter((token) => !paid.has(token))
  if (source === undefined || sink === undefined) return null
  if (anotherSource !== undefined || anotherSink !== undefined) return null
  for (const [token, amount] of received) {
    if (token === sink) continue
    const left = amount - (paid.get(token) ?? 0n)
    if (left < 0n || left * 100n > amount * leftBehindPercentMax) return null
  }
  return {
    paid: { token: source, amount: paid.get(source) ?? 0n },
    received: { token: sink, amount: received.get(sink) ?? 0n },
  }
}

function totals(sums: readonly Sum[]): ReadonlyMap<Address, bigint> {
  const total = new Map<Address, bigint>()
  for (const { token, amount } of sums) total.set(token, (total.get(token) ?? 0n) + amount)
  return total
}
