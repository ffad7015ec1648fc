import type { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { type OddChain, pairKey, type Truth } from './odd-chain.ts'

type Tables = InMemoryGroup['tables']

/** Shown values that the chain denies, as sentences that begin with the name of the token. */
export function deniedIn(
  tables: Tables,
  truth: Truth,
  { nameOf }: Pick<OddChain, 'nameOf'>,
): string[] {
  const balances = [...tables.rowsOf('holders'), ...tables.rowsOf('balances')].flatMap((row) => {
    const { token, holder, value } = Object(row)
    const real = truth.balances.get(pairKey(token, holder))
    return value === real ? [] : [`${nameOf(token)}: ${holder} has ${value}, not ${real}`]
  })
  const totals = tables.rowsOf('token_state').flatMap((row) => {
    const { token, totalSupply, holdersCount } = Object(row)
    const held = [...truth.balances].filter(([key, value]) => key.startsWith(token) && value > 0n)
    const real = { totalSupply: truth.supplies.get(token), holdersCount: held.length }
    return [
      ...(totalSupply === null || totalSupply === real.totalSupply ? [] : ['supply']),
      ...(holdersCount === null || holdersCount === real.holdersCount ? [] : ['holders']),
    ].map((what) => `${nameOf(token)}: ${what} ${totalSupply} ${holdersCount}`)
  })
  return [...balances, ...totals]
}
