import { expect, it } from 'vitest'
import { PriceAnswer } from './read-answer.ts'
import { token } from './testing/price-world.ts'

const priceOf = (price: unknown) =>
  new PriceAnswer({ price }).figures({ price: ['price'] }, {}).price

it('finds figures by the names of members, with the address put in', () => {
  const answer = {
    data: [
      {
        [`eth:${token(1)}`]: {
          usd: 1.5,
          vol: '20',
          cap: 3e21,
          supply: 0,
          image: 'https://i.example/1.png',
        },
      },
    ],
  }
  const at = (name: string) => ['data', '0', 'eth:{address}', name]
  const paths = {
    ...{ price: at('usd'), volume24h: at('vol'), marketCap: at('cap') },
    ...{ circulatingSupply: at('supply'), icon: at('image') },
  }
  expect(new PriceAnswer(answer).figures(paths, { address: token(1) })).toEqual({
    ...{ price: '1.5', volume24h: '20', marketCap: '3000000000000000000000' },
    ...{ circulatingSupply: '0', icon: 'https://i.example/1.png' },
  })
  expect(new PriceAnswer(answer).figures(paths, { address: token(2) }).price).toBeNull()
})

it('finds an address in the letter case of the service', () => {
  const answer = { [token(0xab).toUpperCase()]: 2 }
  expect(
    new PriceAnswer(answer).figures({ price: ['{address}'] }, { address: token(0xab) }).price,
  ).toBe('2')
})

it.each<[unknown, string | null]>([
  [1e-7, '0.0000001'],
  [' 12.30 ', '12.30'],
  [0, '0'],
  [-1, null],
  [Number.NaN, null],
  ['1,5', null],
  ['9'.repeat(200), null],
  [null, null],
  [true, null],
  [{}, null],
])('reads %j as %j', (value, expected) => {
  expect(priceOf(value)).toBe(expected)
})

it.each([[null], [3], ['text'], [[]], [{ price: undefined }]])('%j has no price', (answer) => {
  expect(new PriceAnswer(answer).figures({ price: ['price'] }, {}).price).toBeNull()
})

it('takes no member that every object has', () => {
  expect(new PriceAnswer({}).figures({ price: ['constructor', 'length'] }, {}).price).toBeNull()
})
