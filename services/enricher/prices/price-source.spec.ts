import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { filledIn, readPriceSource } from './price-source.ts'
import { urlOf } from './questions.ts'
import { token } from './testing/price-world.ts'

const exampleOf = (name: string): string =>
  readFileSync(new URL(`../../../deploy/prices/${name}.json`, import.meta.url), 'utf8')
const environment = { COINGECKO_KEY: 'k1' }

it('reads the example of a service that takes addresses as they are', () => {
  const source = readPriceSource(exampleOf('coingecko'), environment)
  const day = urlOf({ kind: 'coin', moment: '2023-07-13' }, source)
  expect(day).toContain('history?date=13-07-2023&localization=false&x_cg_demo_api_key=k1')
  const tokens = urlOf({ kind: 'tokens', tokens: [token(1)] }, source)
  expect(tokens).toContain(`token_price/ethereum?contract_addresses=${token(1)}&vs`)
})

it('reads the example of a service that takes many, each with its chain', () => {
  const source = readPriceSource(exampleOf('defillama'), environment)
  expect(urlOf({ kind: 'coin', moment: '2023-07-13' }, source)).toContain('/1689206400/coingecko:')
  expect(urlOf({ kind: 'coin', moment: 'now' }, source)).toContain('/current/coingecko:ethereum')
  const tokens = urlOf({ kind: 'tokens', tokens: [token(1), token(2)] }, source)
  expect(tokens).toContain(`/current/ethereum%3A${token(1)},ethereum%3A${token(2)}`)
})

const coin = { url: 'https://a.example/', price: ['p'] }
it.each<[string, unknown, string]>([
  ['no JSON', '{', '--price-source: the file is not JSON.'],
  ['nothing to ask for', {}, 'neither coin, nor history, nor tokens'],
  ['a member that is not known', { coin, coins: coin }, 'coins'],
  ['a path that is no list', { coin: { ...coin, price: 'p' } }, 'coin.price'],
  ['another scheme', { coin: { ...coin, url: 'ftp://a.example/' } }, 'coin.url: no URL of http'],
  ['no host', { coin: { ...coin, url: 'https://' } }, 'a URL is malformed'],
  ['a day that is none', { history: { ...coin, from: '2023-02-30' } }, 'history.from'],
  ['a variable that is not set', { coin: { ...coin, url: `https://a/\${NO}` } }, 'NO is not set'],
  ['no place for an address', { tokens: { ...coin, addressForm: 'x' } }, 'tokens.addressForm'],
])('refuses %s, and says where it is wrong', (_, content, sentence) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  expect(() => readPriceSource(text, environment)).toThrow(sentence)
})

it('puts in what is known, and leaves the rest as it is', () => {
  expect(filledIn('a{x}b{y}{x}', { x: '1' })).toBe('a1b{y}1')
})
