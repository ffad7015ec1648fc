import { expect, it } from 'vitest'
import { alikePages, differingPages } from './pages.ts'
import { coin, foes, otherCoin, people } from './planned-traffic.ts'

const [foe = ''] = foes
const path = `/api/v2/addresses/${people[0]}/token-balances`
const item = (token: string, value: string) => ({ token: { address_hash: token }, value })
const run = (...items: object[]) => alikePages(new Map([[path, `200 ${JSON.stringify(items)}`]]))
const differences = (one: ReturnType<typeof run>, other: ReturnType<typeof run>) =>
  differingPages('two runs', one, other).length

it('takes two runs for alike that differ in the order of balances, or in lying tokens', () => {
  const one = run(item(coin, '1'), item(otherCoin, '2'))
  expect(differences(one, run(item(otherCoin, '2'), item(coin, '1')))).toBe(0)
  expect(differences(one, run(item(coin, '1'), item(otherCoin, '2'), item(foe, '3')))).toBe(0)
  expect(differences(one, run(item(coin, '1'), item(otherCoin, '3')))).toBe(1)
  expect(differences(one, run(item(coin, '1')))).toBe(1)
})
