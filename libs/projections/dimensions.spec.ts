import { expect, test } from 'vitest'
import { eventTopic } from '../chain/abi-words.ts'
import { hex } from '../chain/hex.ts'
import { position } from '../chain/position.ts'
import { contractAbis, signatures } from '../tables/tables/abis.ts'
import { addressLabels } from '../tables/tables/addresses.ts'
import { instanceMetadata } from '../tables/tables/instances.ts'
import { prices } from '../tables/tables/prices.ts'
import { tokenMarket } from '../tables/tables/tokens.ts'
import { type AddressFact, addressFact } from '../topics/facts/address-facts.ts'
import { signatureFact } from '../topics/facts/signature-facts.ts'
import {
  addressFactRows,
  coinPriceRows,
  instanceFactRows,
  signatureFactRows,
  tokenFactRows,
} from './dimensions.ts'
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

const transferJson = {
  type: 'function',
  name: 'transfer',
  inputs: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
  ],
}
const abiOf = (...entries: object[]): AddressFact =>
  addressFact.parse({ address: token, time, kind: 'abi', entries })
const signaturesIn = (fact: AddressFact) =>
  addressFactRows(fact, at).map(({ table, row }) => {
    expect(table).toBe(contractAbis)
    expect(row).toMatchObject({ address: token, ...version })
    return [row.selector, row.signature]
  })

test('an ABI becomes a row for each function and event, and one with its position', () => {
  const event = { type: 'event', name: 'Ping', inputs: [{ type: 'uint8', indexed: true }] }
  expect(signaturesIn(abiOf(transferJson, event, { type: 'constructor' }))).toEqual([
    ['0x', ''],
    ['0xa9059cbb', 'function transfer(address to, uint256 value)'],
    [eventTopic('Ping(uint8)'), 'event Ping(uint8 indexed)'],
  ])
  expect(signaturesIn(abiOf())).toEqual([['0x', '']])
})

test('entries that nothing can be decoded by break no ABI', () => {
  const odd = { ...transferJson, inputs: [{ name: 'x', type: 'mapping(address => uint256)' }] }
  const again = { ...transferJson, inputs: transferJson.inputs.map(({ type }) => ({ type })) }
  expect(signaturesIn(abiOf(odd, {}, transferJson, again))).toEqual([
    ['0x', ''],
    ['0xa9059cbb', 'function transfer(address to, uint256 value)'],
  ])
})

test('a signature lies under its selector, whatever its inputs are called', () => {
  const fact = { selector: hex('0xa9059cbb'), time, signature: 'transfer(address to, uint256)' }
  expect(signatureFactRows(signatureFact.parse(fact), at)).toEqual([
    {
      table: signatures,
      row: {
        selector: '0xa9059cbb',
        form: 'transfer(address,uint256)',
        signature: 'function transfer(address to, uint256)',
        since: time,
        ...version,
      },
    },
  ])
  expect(signatureFact.safeParse({ ...fact, signature: 'mint(address)' }).success).toBe(false)
})
