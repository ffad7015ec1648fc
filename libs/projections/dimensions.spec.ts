import { expect, test } from 'vitest'
import { position } from '../chain/position.ts'
import { addressLabels } from '../tables/address-labels.ts'
import { instanceMetadata } from '../tables/instance-metadata.ts'
import { prices } from '../tables/prices.ts'
import { tokenMarket } from '../tables/token-market.ts'
import { addressFactRows, coinPriceRows, instanceFactRows, tokenFactRows } from './dimensions.ts'
import { alice, contract } from './testing/facts.ts'

const at = position(3)
const token = contract(1)
const time = 1_681_000_000
const version = { position: 3, isDeleted: 0 }

test('a fact of a token becomes one row that holds the whole fact', () => {
  const fact = { token, time, kind: 'icon', url: null } as const
  const row = { token, kind: 'icon', fact: JSON.stringify(fact), ...version }
  expect(tokenFactRows(fact, at)).toEqual([{ table: tokenMarket, row }])
})

test('a fact of an instance keeps its token id exactly', () => {
  const tokenId = (1n << 256n) - 1n
  const fact = { token, tokenId, time, metadata: { name: 'x' }, media: null, failure: null }
  const [first] = instanceFactRows(fact, at)
  expect(first?.table).toBe(instanceMetadata)
  expect(first?.row).toMatchObject({ token, tokenId, ...version })
  expect(JSON.parse(String(first?.row.fact))).toEqual({ ...fact, tokenId: tokenId.toString() })
})

test('a fact of an address lies under its kind', () => {
  const fact = { address: alice, time, kind: 'ens', name: 'alice.eth' } as const
  const row = { address: alice, kind: 'ens', fact: JSON.stringify(fact), ...version }
  expect(addressFactRows(fact, at)).toEqual([{ table: addressLabels, row }])
})

test('a price lies under its moment', () => {
  const fact = { chainId: 1, moment: 'now', time, price: '1850.25' } as const
  const row = { moment: 'now', price: '1850.25', ...version }
  expect(coinPriceRows(fact, at)).toEqual([{ table: prices, row }])
})
