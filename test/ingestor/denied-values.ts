import { standards } from '../../libs/chain/token.ts'
import type { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { type OddChain, pairKey, type Truth } from './odd-chain.ts'

type Tables = InMemoryGroup['tables']

/** Of a collection it is the number of ids whose owner is known, unless the node counted them. */
const isOfNode = (row: object): boolean => {
  const { standard, observedAt } = Object(row)
  return standard !== standards.indexOf('ERC-721') || observedAt > 0
}

/** Shown values that the chain denies, as sentences that begin with the name of the token. */
export function deniedIn(
  tables: Tables,
  truth: Truth,
  { nameOf }: Pick<OddChain, 'nameOf'>,
): string[] {
  const said = [...tables.rowsOf('holders'), ...tables.rowsOf('balances').filter(isOfNode)]
  const balances = said.flatMap((row) => {
    const { token, holder, value } = Object(row)
    const real = truth.balances.get(pairKey(token, holder))
    // What a contract does not say, it does not deny.
    if (real === null || value === real) return []
    return [`${nameOf(token)}: ${holder} has ${value}, not ${real}`]
  })
  const owners = tables.rowsOf('instances').flatMap((row) => {
    const { token, tokenId, owner } = Object(row)
    const real = truth.owners.get(pairKey(token, `${tokenId}`))
    if (owner === null || owner === real) return []
    return [`${nameOf(token)}: ${owner} owns ${tokenId}, not ${real}`]
  })
  const totals = tables.rowsOf('token_state').flatMap((row) => {
    const { token, totalSupply, holdersCount } = Object(row)
    const said = [...truth.balances].filter(([key]) => key.startsWith(token))
    if (said.some(([, value]) => value === null)) return []
    const held = said.filter(([, value]) => value !== 0n).length
    const supply = truth.supplies.get(token)
    return [
      ...(totalSupply === null || totalSupply === supply ? [] : ['supply']),
      ...(holdersCount === null || holdersCount === held ? [] : ['holders']),
    ].map((what) => `${nameOf(token)}: ${what} ${totalSupply} ${holdersCount}`)
  })
  return [...balances, ...owners, ...totals]
}
