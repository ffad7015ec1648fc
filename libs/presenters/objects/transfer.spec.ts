import { expect, test } from 'vitest'
import { parseAbiEntry } from '../../chain/abi-entry.ts'
import { zeroAddress } from '../../chain/hex.ts'
import { lookupsOf } from '../testing/lookups.ts'
import { anAddress, anInstance, aToken, aTransfer, indexOf } from '../testing/rows.ts'
import { transferObject } from './transfer.ts'

const nft = anAddress(0x71)
const lookups = lookupsOf({
  tokens: [
    aToken(),
    aToken({ token: nft, standard: indexOf('ERC-721'), decimals: null }),
    aToken({ token: anAddress(0x72), standard: indexOf('ERC-1155'), decimals: null }),
    aToken({ token: anAddress(0x74), standard: indexOf('ERC-404'), decimals: 18 }),
  ],
  instances: [anInstance()],
})

// Decisions 9 and 20.
test('shows a fungible transfer with its amount and decimals', () => {
  expect(transferObject(aTransfer(), lookups)).toMatchObject({
    block_number: 100,
    log_index: 5,
    method: 'transfer',
    timestamp: '2023-11-14T22:13:20.000000Z',
    token_type: 'ERC-20',
    total: { value: '1500000', decimals: '6' },
    type: 'token_transfer',
  })
})

// Decision 15.
test.each([
  [zeroAddress, anAddress(1), 'token_minting'],
  [anAddress(1), zeroAddress, 'token_burning'],
  [zeroAddress, zeroAddress, 'token_spawning'],
])('from %s to %s is %s', (from, to, type) => {
  expect(transferObject(aTransfer({ from, to }), lookups).type).toBe(type)
})

// Decision 14.
test('shows a collection transfer with its id, and a value of one', () => {
  const row = aTransfer({ token: nft, form: indexOf('ERC-721'), tokenId: 7n, value: 1n })
  expect(transferObject(row, lookups)).toMatchObject({
    token_type: 'ERC-721',
    total: { token_id: '7', value: '1', decimals: null, token_instance: { id: '7' } },
  })
})

test('shows ids of any size exactly', () => {
  const last = (1n << 256n) - 1n
  const row = aTransfer({
    token: anAddress(0x72),
    form: indexOf('ERC-1155'),
    tokenId: last,
    value: last,
  })
  expect(transferObject(row, lookups).total).toMatchObject({
    token_id: last.toString(),
    value: last.toString(),
    decimals: null,
  })
})

test('reads the word of a collection transfer with three topics as its id (decision 61)', () => {
  const row = aTransfer({ token: nft, form: indexOf('ERC-20'), tokenId: null, value: 7n })
  expect(transferObject(row, lookups)).toMatchObject({
    token_type: 'ERC-721',
    total: { token_id: '7', value: '1', decimals: null, token_instance: { id: '7' } },
  })
})

test('reads an indexed amount of an ERC-20 with decimals as its amount, else as an id', () => {
  const row = aTransfer({ form: indexOf('ERC-721'), tokenId: 7n, value: 1n })
  const amount = transferObject(row, lookups).total
  expect(amount).toEqual({ value: '7', decimals: '6' })
  const withoutDecimals = lookupsOf({ tokens: [aToken({ decimals: null })] })
  expect(transferObject(row, withoutDecimals)).toMatchObject({
    token_type: 'ERC-20',
    total: { token_id: '7', value: '1', decimals: null },
  })
  const range = transferObject({ ...row, batchSize: 2 }, lookups)
  expect(range.total).toMatchObject({ token_id: '7', value: '1' })
})

test('shows the form of the log where the standard has no reading of it (decision 48)', () => {
  const token = anAddress(0x72)
  expect(transferObject(aTransfer({ token }), lookups)).toMatchObject({
    token_type: 'ERC-1155',
    total: { value: '1500000', decimals: null },
  })
  expect(transferObject(aTransfer({ token }), lookups).total).not.toHaveProperty('token_id')
})

test('shows both an amount and an id, null where there is none, for a hybrid token', () => {
  const row = aTransfer({ token: anAddress(0x74) })
  expect(transferObject(row, lookups)).toMatchObject({
    token_type: 'ERC-404',
    total: { value: '1500000', decimals: '18', token_id: null, token_instance: null },
  })
})

test('shows a token of which nothing is known yet by the form of its transfer', () => {
  expect(transferObject(aTransfer({ method: null }), lookupsOf())).toMatchObject({
    token: { type: 'ERC-20', name: null, decimals: null, holders_count: null },
    method: null,
  })
})

test('names the method by the ABI of the contract that the transaction calls', () => {
  const [own, wellKnown] = ['function go()', 'function went()'].map((text) => parseAbiEntry(text))
  const abis = lookupsOf({
    abis: (contract) => (contract === nft && own ? [own] : []),
    signatures: () => (wellKnown ? [wellKnown] : []),
  })
  const row = aTransfer({ method: '0x12345678', recipient: nft })
  expect(transferObject(row, abis).method).toBe('go')
  expect(transferObject({ ...row, recipient: null }, abis).method).toBe('went')
})

test('shows an unknown method by its selector', () => {
  expect(transferObject(aTransfer({ method: '0x12345678' }), lookups).method).toBe('0x12345678')
})
