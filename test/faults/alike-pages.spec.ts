import { expect, it } from 'vitest'
import { alikePages, differingPages } from './pages.ts'
import { coin, foes, otherCoin, people } from './planned-traffic.ts'

const [foe = ''] = foes
const path = `/api/v2/addresses/${people[0]}/token-balances`
const shown = (token: string, supply: string | null) => ({
  token: { address_hash: token, total_supply: supply },
})
const item = (token: string, value: string) => ({ ...shown(token, '9'), value })
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

it('takes supplies for alike only where the contract of the token lies', () => {
  const transfers = `/api/v2/addresses/${people[0]}/transactions`
  const supplied = (token: string, supply: string | null) => {
    const body = { items: [{ token_transfers: [shown(token, supply)] }], next_page_params: null }
    return alikePages(new Map([[transfers, `200 ${JSON.stringify(body)}`]]))
  }
  expect(differences(supplied(foe, '7'), supplied(foe, null))).toBe(0)
  expect(differences(supplied(coin, '7'), supplied(coin, null))).toBe(1)
})
