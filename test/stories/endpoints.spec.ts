import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { checksum } from '../../libs/presenters/address.ts'
import {
  alice,
  batchMoved,
  blockOf,
  bob,
  burned,
  carol,
  contract,
  created,
  describing,
  emitted,
  minted,
  nftMinted,
  nftMoved,
  transferLog,
  transferred,
} from '../../libs/projections/testing/facts.ts'
import { blockHash, transactionHash } from '../../libs/projections/testing/log-of.ts'
import { sentBack } from '../oracle/walk.ts'
import { given } from './story.ts'

const [coin, cats, items] = [contract(1), contract(2), contract(3)]
const described = { address: coin, name: 'Coin', symbol: 'COIN', decimals: 6 } as const
const shown = (address: Address) => ({ hash: checksum(address) })
const whole = 1_000_000n

const listForm = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
})
const listed = (body: unknown) => listForm.parse(body).items

/** The most specific sentence first; clients show that one. */
const summaryForm = z.object({
  success: z.literal(true),
  data: z.object({ summaries: z.array(z.unknown()).nonempty() }),
})

/** The query of the next page, as a client sends it. */
const cursorOf = (body: unknown) =>
  new URLSearchParams(sentBack(listForm.parse(body).next_page_params ?? {}, 'null'))

test('tokens of an address: the greatest amount first, page by page', async () => {
  const { get } = await given(
    created(coin),
    created(items),
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    transferred(coin, [alice, bob], 400_000n),
    batchMoved(
      items,
      [zeroAddress, alice],
      [
        [1n, 10n],
        [2n, 20n],
      ],
    ),
  )
  const path = `/api/v2/addresses/${alice}/tokens`
  const first = await get(`${path}?items_count=2`)
  expect(first).toMatchObject({
    status: 200,
    body: {
      items: [
        { token: { name: 'Coin', type: 'ERC-20' }, token_id: null, value: '600000' },
        { token: { name: null, type: 'ERC-1155' }, token_id: '2', value: '20' },
      ],
      next_page_params: { value: '20', token_type: 'ERC-1155', items_count: 2 },
    },
  })
  const { body } = await get(`${path}?${cursorOf(first.body)}`)
  expect(body).toMatchObject({ items: [{ token_id: '1', value: '10' }], next_page_params: null })
})

test('transactions of an address: what it sent, received or was created by', async () => {
  const { get } = await given(
    blockOf({ from: alice, to: bob, value: 5n * 10n ** 18n, logs: [] }),
    blockOf({ from: carol, to: bob, logs: [] }),
    created(coin),
    blockOf({ from: bob, to: alice, status: 0, value: 1n, logs: [] }),
  )
  const hashesAt = async (path: string) => listed((await get(path)).body).map(({ hash }) => hash)
  const [sent, , creation, failed] = [1, 2, 3, 4].map((block) => transactionHash(block, 0))
  const path = `/api/v2/addresses/${alice}/transactions`
  expect(await hashesAt(path)).toEqual([failed, creation, sent])
  expect(await hashesAt(`${path}?filter=to`)).toEqual([failed])
  expect(await hashesAt(`${path}?sort=value&order=desc`)).toEqual([sent, failed, creation])
  expect(await hashesAt(`/api/v2/addresses/${coin}/transactions`)).toEqual([creation])
  expect((await get(path)).body).toMatchObject({
    items: [
      { status: 'error', fee: { type: 'actual', value: '350000' }, confirmations: 1 },
      { to: null, created_contract: shown(coin), transaction_types: ['contract_creation'] },
      { value: '5000000000000000000', transaction_types: ['coin_transfer'], confirmations: 4 },
    ],
    next_page_params: null,
  })
})

test('token balances of an address: all of them, and none that became zero', async () => {
  const { get } = await given(
    created(coin),
    created(cats),
    created(items),
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    nftMinted(cats, alice, 7n),
    nftMinted(cats, alice, 8n),
    minted(items, alice, 3n),
    transferred(items, [alice, bob], 3n),
  )
  const { body } = await get(`/api/v2/addresses/${alice}/token-balances`)
  expect(body).toMatchObject([
    { token: { type: 'ERC-20', symbol: 'COIN' }, value: '1000000', token_id: null },
    { token: { type: 'ERC-721', address_hash: checksum(cats) }, value: '2' },
  ])
})

test('NFTs of an address: the ones it owns now', async () => {
  const { get } = await given(
    describing(nftMinted(cats, alice, 7n), { address: cats, name: 'Cats', symbol: 'CAT' }),
    nftMinted(cats, alice, 8n),
    nftMoved(cats, [alice, bob], 7n),
  )
  const owned = (id: string) => ({
    items: [{ id, token: { name: 'Cats' }, token_type: 'ERC-721', value: '1' }],
    next_page_params: null,
  })
  expect((await get(`/api/v2/addresses/${alice}/nft`)).body).toMatchObject(owned('8'))
  expect((await get(`/api/v2/addresses/${bob}/nft`)).body).toMatchObject(owned('7'))
})

test('transfers of a token: newest first, a page at a time; an unknown token is a 404', async () => {
  const { get } = await given(
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    transferred(coin, [alice, bob], 400_000n),
    burned(coin, bob, 1n),
  )
  const path = `/api/v2/tokens/${coin}/transfers`
  const first = await get(`${path}?items_count=2`)
  expect(first.body).toMatchObject({
    items: [
      { type: 'token_burning', total: { value: '1', decimals: '6' }, block_number: 3 },
      { type: 'token_transfer', from: shown(alice), to: shown(bob), total: { value: '400000' } },
    ],
    next_page_params: { block_number: 2, index: 0, items_count: 2 },
  })
  expect((await get(`${path}?${cursorOf(first.body)}`)).body).toMatchObject({
    items: [{ type: 'token_minting', to: shown(alice), transaction_hash: transactionHash(1, 0) }],
    next_page_params: null,
  })
  expect((await get(`/api/v2/tokens/${cats}/transfers`)).status).toBe(404)
})

test('logs of an address: newest first, all or those with a topic', async () => {
  const other = { address: coin, topics: [transactionHash(0, 1)], data: transactionHash(0, 2) }
  const { get } = await given(minted(coin, alice, 5n), emitted(other), minted(cats, alice, 5n))
  const path = `/api/v2/addresses/${coin}/logs`
  expect((await get(path)).body).toMatchObject({
    items: [
      { block_number: 2, index: 0, data: other.data, decoded: null, address: shown(coin) },
      {
        block_number: 1,
        block_hash: blockHash(1),
        decoded: {
          method_call: 'Transfer(address indexed from, address indexed to, uint256 value)',
        },
      },
    ],
    next_page_params: null,
  })
  const { body } = await get(`${path}?topic=${other.topics[0]}`)
  expect(listed(body).map((item) => item.block_number)).toEqual([2])
})

test('token transfers of a transaction: in the order of its logs, each item of a batch', async () => {
  const { get } = await given(
    batchMoved(
      items,
      [zeroAddress, alice],
      [
        [1n, 10n],
        [2n, 20n],
      ],
    ),
    blockOf({ logs: [transferLog(coin, [alice, bob], 1n), transferLog(coin, [bob, carol], 1n)] }),
  )
  const pathOf = (block: number) =>
    `/api/v2/transactions/${transactionHash(block, 0)}/token-transfers`
  const { body } = await get(pathOf(2))
  expect(listed(body).map(({ log_index, to }) => ({ log_index, to }))).toMatchObject([
    { log_index: 0, to: shown(bob) },
    { log_index: 1, to: shown(carol) },
  ])
  const batch = listed((await get(pathOf(1))).body)
  expect(batch.map(({ total }) => total)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ token_id: '1', value: '10' }),
      expect.objectContaining({ token_id: '2', value: '20' }),
    ]),
  )
  expect((await get(`${pathOf(2)}?type=ERC-1155`)).body).toMatchObject({ items: [] })
  expect((await get(pathOf(9))).status).toBe(404)
})

test('holders of a token: greatest first, without those who have nothing left', async () => {
  const { get } = await given(
    created(coin),
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    transferred(coin, [alice, bob], 600_000n),
    transferred(coin, [alice, carol], 400_000n),
  )
  expect((await get(`/api/v2/tokens/${coin}/holders`)).body).toMatchObject({
    items: [
      { address: shown(bob), value: '600000', token_id: null },
      { address: shown(carol), value: '400000', token_id: null },
    ],
    next_page_params: null,
  })
})

test('summary of a transaction: what it did, as a sentence with variables', async () => {
  const { get } = await given(
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    blockOf({ from: alice, to: coin, logs: [transferLog(coin, [alice, bob], 400_000n)] }),
  )
  const { body } = await get(`/api/v2/transactions/${transactionHash(2, 0)}/summary`)
  const [first] = summaryForm.parse(body).data.summaries
  expect(first).toMatchObject({
    summary_template: '{action_type} {amount} {token} to {to_address}',
    summary_template_variables: {
      action_type: { type: 'string', value: 'Transferred' },
      amount: { type: 'currency', value: '0.4' },
      token: { type: 'token', value: { symbol: 'COIN' } },
      to_address: { type: 'address', value: shown(bob) },
    },
  })
})

test('a token: its name and symbol, its supply and its holders', async () => {
  const { get } = await given(
    created(coin),
    describing(minted(coin, alice, whole), { ...described, totalSupply: whole }),
    transferred(coin, [alice, bob], 1n),
    burned(coin, bob, 1n),
    minted(coin, carol, 10n),
  )
  expect((await get(`/api/v2/tokens/${coin}`)).body).toMatchObject({
    address_hash: checksum(coin),
    ...{ name: 'Coin', symbol: 'COIN', decimals: '6', type: 'ERC-20' },
    total_supply: '1000009',
    holders_count: '2',
  })
  expect((await get(`/api/v2/tokens/${cats}`)).status).toBe(404)
})
