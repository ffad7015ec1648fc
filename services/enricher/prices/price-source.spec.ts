import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { filledIn, readPriceSource } from './price-source.ts'
import { urlOf } from './questions.ts'
import { token } from './testing/price-world.ts'

const exampleOf = (name: string): string =>
  readFileSync(new URL(`../../../deploy/prices/${name}.json`, import.meta.url), 'utf8')
const environment = { COINGECKO_KEY: 'k&1' }

it('reads the example of a service that takes addresses as they are', () => {
  const source = readPriceSource(exampleOf('coingecko'), environment)
  const coin = urlOf({ kind: 'coin', moment: 'now' }, source)
  expect(coin).toContain('simple/price?ids=ethereum')
  expect(coin).toContain('x_cg_demo_api_key=k%261')
  const tokens = urlOf({ kind: 'tokens', tokens: [token(1)] }, source)
  expect(tokens).toContain(`token_price/ethereum?contract_addresses=${token(1)}&vs`)
})

it('reads the example of a service that takes many, each with its chain', () => {
  const source = readPriceSource(exampleOf('defillama'), environment)
  expect(urlOf({ kind: 'history', moment: '2023-07-13' }, source)).toContain(
    '/1689206400/coingecko:',
  )
  expect(urlOf({ kind: 'coin', moment: 'now' }, source)).toContain('/current/coingecko:ethereum')
  const tokens = urlOf({ kind: 'tokens', tokens: [token(1), token(2)] }, source)
  expect(tokens).toContain(`/current/ethereum%3A${token(1)},ethereum%3A${token(2)}`)
})

const coin = { url: 'https://a.example/', price: ['p'] }
const many = 'https://a.example/{addresses}'
const each = { url: many, price: ['{address}', 'p'] }
it.each<[string, unknown, string]>([
  ['no JSON', '{', '--price-source: the file is not JSON.'],
  ['nothing to ask for', {}, 'neither coin, nor history, nor tokens'],
  ['a member that is not known', { coin, coins: coin }, 'coins'],
  ['a path that is no list', { coin: { ...coin, price: 'p' } }, 'coin.price'],
  ['another scheme', { coin: { ...coin, url: 'ftp://a.example/' } }, 'coin.url: no URL of http'],
  ['no host', { coin: { ...coin, url: 'https://' } }, 'coin.url: no URL of http'],
  ['a host of a file', { coin: { ...coin, url: 'file://etc/x' } }, 'coin.url: no URL of http'],
  ['a port that is none', { coin: { ...coin, url: 'https://a:b/' } }, 'coin.url is malformed'],
  ['a password', { coin: { ...coin, url: 'https://u:p@a/' } }, 'coin.url has a user or a password'],
  ['a day that is none', { history: { ...coin, from: '2023-02-30' } }, 'history.from'],
  ['a day before all coins', { history: { ...coin, from: '2008-12-31' } }, 'history.from: before'],
  ['a history of no day', { history: { ...coin, from: '2023-02-01' } }, 'names the day'],
  [
    'a name that is not known',
    { coin: { ...coin, price: ['{date}'] } },
    'coin: {date} is not known',
  ],
  ['a variable in lower case', { coin: { ...coin, url: `https://a/\${no}` } }, '{no} is not known'],
  ['tokens of no address', { tokens: coin }, 'tokens.url: it names no {addresses}'],
  ['one price of many', { tokens: { ...coin, url: many, addressesMax: 2 } }, 'tokens.price'],
  ['a URL that is too long', { tokens: { ...each, addressesMax: 200 } }, 'characters, above 8192'],
  ['a variable that is not set', { coin: { ...coin, url: `https://a/\${NO}` } }, 'NO is not set'],
  ['no place for an address', { tokens: { ...each, addressForm: 'x' } }, 'tokens.addressForm'],
])('refuses %s, and says where it is wrong', (_, content, sentence) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  expect(() => readPriceSource(text, environment)).toThrow(sentence)
})

it('fills in what is known, and leaves the rest as it is', () => {
  expect(filledIn('a{x}b{y}{x}', { x: '1' })).toBe('a1b{y}1')
})
