import { expect, test } from 'vitest'
import { summaryBodySchema } from '../../../libs/presenters/summary/summary-schema.ts'
import {
  aBalance,
  aHash,
  aHolder,
  aLog,
  anAddress,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { instanceKey } from '../../../libs/queries/instances/instances.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { packedTransfers } from '../../../libs/tables/tables/transaction-columns.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const address = anAddress(0xa1)
const token = anAddress(0x70)

/** Asks a path of tables that answer `answers`, and tells what the list query was asked. */
async function asking<N extends keyof Answers>(name: N, targets: readonly string[]) {
  const asked: unknown[] = []
  const spy: Answers = {
    [name]: async (question: unknown) => {
      asked.push(question)
      return []
    },
    tokenStates: async () => new Map([[token, aToken()]]),
  }
  // Each time another process: one alone asks equal questions once.
  for (const target of targets) expect((await testApi(spy).ask(target)).status).toBe(200)
  return asked
}

test('lists tokens after a value and an id, whose lowest 33 bits are the ordinal', async () => {
  const path = `/api/v2/addresses/${address}/tokens`
  const asked = await asking('balancesOfAddress', [
    `${path}?type=ERC-20`,
    `${path}?value=7&id=12&fiat_value=null&items_count=10`,
    `${path}?value=7&id=${6n * 2n ** 33n + 12n}&fiat_value=`,
    `${path}?value=7`,
    `${path}?id=7&value=null`,
  ])
  expect(asked).toMatchObject([
    { holder: address, standards: ['ERC-20'], after: null, limit: 51 },
    { after: { value: 7n, ordinal: 12 }, limit: 11 },
    { after: { value: 7n, ordinal: 12 } },
    { after: null },
    { after: null },
  ])
})

test('gives a cursor of tokens in the keys of both kinds of clients', async () => {
  const { ask } = testApi({
    balancesOfAddress: async () => [aBalance({ value: 2n ** 200n }), aBalance()],
    tokenStates: async () => new Map([[token, aToken()]]),
  })
  const body = bodyOf(await ask(`/api/v2/addresses/${address}/tokens?items_count=1`))
  expect(body).toMatchObject({
    items: [{ token: { name: 'Gold', holders_count: '2' }, token_id: null, token_instance: null }],
    next_page_params: {
      fiat_value: null,
      id: 12,
      items_count: 1,
      value: (2n ** 200n).toString(),
      token_name: 'Gold',
      token_type: 'ERC-20',
    },
  })
})

// Decisions 8 and 27.
test('lists all balances with a holder count by number, and reports a truncated list', async () => {
  const rows = Array.from({ length: 10_001 }, () => aBalance())
  const { ask } = testApi({
    balancesOfAddress: async ({ limit }) => rows.slice(0, limit),
    tokenStates: async () => new Map([[token, aToken()]]),
  })
  const response = await ask(`/api/v2/addresses/${address}/token-balances`)
  expect(response.headers['x-truncated']).toBe('10000')
  const body = JSON.parse(response.body.toString())
  expect(body).toHaveLength(10_000)
  expect(body[0].token.holders_count).toBe(2)
})

test('ends the request to an interpreter before it is too large, and reports it', async () => {
  const transaction = aTransaction()
  // Control characters take six bytes each in JSON.
  const logs = Array.from({ length: 40 }, (_, logIndex) =>
    aLog({ logIndex, data: `0x${'01'.repeat(100_000)}` }),
  )
  const { ask } = testApi({
    transactionsByHash: async () => new Map([[transaction.hash, transaction]]),
    transfersOfTransaction: async () => [aTransfer()],
    logsOfTransaction: async ({ limit }) => logs.slice(0, limit),
  })
  const path = `/api/v2/transactions/${transaction.hash}/summary?just_request_body=true`
  const response = await ask(path)
  expect(response.body.length).toBeLessThan(4 * 1024 * 1024 + 100_000)
  const body = summaryBodySchema.parse(JSON.parse(response.body.toString()))
  if (body === null || !('logs_data' in body)) throw new Error('it is no request')
  expect(body.data.token_transfers).toHaveLength(1)
  expect(body.logs_data.items.length).toBeGreaterThan(10)
  expect(body.logs_data.items.length).toBeLessThan(40)
  expect(response.headers['x-truncated']).toBe(`${1 + body.logs_data.items.length}`)
})

test('counts transfers and logs of the request to an interpreter together', async () => {
  const transaction = aTransaction()
  const metadata = { text: 'x'.repeat(200_000) }
  const form = indexOf('ERC-721')
  const { ask } = testApi({
    transactionsByHash: async () => new Map([[transaction.hash, transaction]]),
    transfersOfTransaction: async () =>
      Array.from({ length: 18 }, (_, id) => aTransfer({ form, tokenId: BigInt(id), logIndex: id })),
    logsOfTransaction: async () =>
      Array.from({ length: 20 }, (_, logIndex) =>
        aLog({ logIndex, data: `0x${'61'.repeat(50_000)}` }),
      ),
    instanceFacts: async (keys) =>
      new Map(keys.map((key) => [instanceKey(key), { metadata, media: null }])),
  })
  const path = `/api/v2/transactions/${transaction.hash}/summary?just_request_body=true`
  const response = await ask(path)
  expect(response.body.length).toBeLessThan(4 * 1024 * 1024 + 100_000)
  const body = summaryBodySchema.parse(JSON.parse(response.body.toString()))
  if (body === null || !('logs_data' in body)) throw new Error('it is no request')
  expect(body.data.token_transfers).toHaveLength(18)
  expect(body.logs_data.items.length).toBeLessThan(20)
  expect(response.headers['x-truncated']).toBe(`${18 + body.logs_data.items.length}`)
})

test('shows the instance of a balance that is one', async () => {
  const row = aBalance({ part: part.instance, tokenId: 9n, standard: indexOf('ERC-1155') })
  const { ask } = testApi({ balancesOfAddress: async () => [row] })
  expect(bodyOf(await ask(`/api/v2/addresses/${address}/token-balances`))).toMatchObject([
    { token_id: '9', token_instance: { id: '9', is_unique: false, owner: null } },
  ])
})

// Decisions 4 and 50.
test('sorts transactions only by sort and order together', async () => {
  const path = `/api/v2/addresses/${address}/transactions`
  const asked = await asking('transactionsOfAddress', [
    path,
    `${path}?sort=value`,
    `${path}?order=asc`,
    `${path}?sort=fee&order=asc&block_number=9&index=8&fee=7&value=6`,
    `${path}?sort=fee&order=asc&block_number=9&index=8`,
    `${path}?filter=to&block_number=9&index=8`,
    `${path}?block_number=null&index=null&inserted_at=2026-01-01T00:00:00Z&hash=${aHash(1)}`,
  ])
  const newest = { sort: 'block_number', order: 'desc' }
  expect(asked).toMatchObject([
    { filter: null, ...newest, after: null },
    newest,
    newest,
    { sort: 'fee', order: 'asc', after: { blockNumber: 9, index: 8, fee: 7n } },
    { sort: 'fee', order: 'asc', after: null },
    { filter: 'to', ...newest, after: { blockNumber: 9, index: 8 } },
    { after: null },
  ])
})

test('gives a cursor of transactions with filter and order as they were sent', async () => {
  const firstTransfers = packedTransfers(aHash(0xb1), [aTransfer()])
  const next = aTransaction({ hash: aHash(0x7b) })
  const rows = [aTransaction({ transfersCount: 1, firstTransfers }), next]
  const { ask } = testApi({ transactionsOfAddress: async () => rows })
  const path = `/api/v2/addresses/${address}/transactions`
  const body = bodyOf(await ask(`${path}?filter=from&sort=value&order=desc&items_count=1`))
  expect(body).toMatchObject({ items: [{ token_transfers: [{ log_index: 5 }] }] })
  expect(body).toHaveProperty('next_page_params', {
    filter: 'from',
    sort: 'value',
    order: 'desc',
    block_number: 100,
    index: 3,
    inserted_at: '2023-11-14T22:13:20.000000Z',
    hash: aHash(0x7a),
    value: '0',
    fee: '252000',
    items_count: 1,
  })
})

test('looks up the tokens of what a transaction did, though no transfer shows them', async () => {
  const sums = [{ token, amount: '1500000' }]
  const actions = JSON.stringify([{ protocol: 'aave_v3', type: 'supply', sums }])
  const { ask } = testApi({
    transactionsOfAddress: async () => [aTransaction({ actions })],
    tokenStates: async (asked) => new Map(asked.map((one) => [one, aToken({ token: one })])),
  })
  expect(bodyOf(await ask(`/api/v2/addresses/${address}/transactions`))).toMatchObject({
    items: [{ actions: [{ data: { amount: '1.5', symbol: 'AU' } }] }],
  })
})

test('lists NFTs across standards; a filter without any NFT standard is none', async () => {
  const path = `/api/v2/addresses/${address}/nft`
  const all = ['ERC-721', 'ERC-1155', 'ERC-404']
  const keys = `token_contract_address_hash=${token}&token_id=5`
  const asked = await asking('nftsOfAddress', [
    `${path}?type=ERC-20`,
    `${path}?type=erc-404,ERC-20`,
    `${path}?${keys}&token_type=ERC-1155`,
    `${path}?${keys}&token_type=ERC-7984`,
    `${path}?${keys}&items_count=5`,
  ])
  expect(asked).toMatchObject([
    { owner: address, standards: all, after: null },
    { standards: ['ERC-404'] },
    { after: { standard: 'ERC-1155', token, tokenId: 5n } },
    { after: null, limit: 51 },
    { after: null, limit: 6 },
  ])
})

test('gives a cursor of NFTs', async () => {
  const { ask } = testApi({ nftsOfAddress: async () => [anNft(), anNft({ tokenId: 6n })] })
  const body = bodyOf(await ask(`/api/v2/addresses/${address}/nft?type=ERC-721&items_count=1`))
  expect(body).toMatchObject({ items: [{ id: '7', token_type: 'ERC-721', value: '1' }] })
  expect(body).toHaveProperty('next_page_params', {
    type: 'ERC-721',
    token_contract_address_hash: anAddress(0x71),
    token_id: '7',
    token_type: 'ERC-721',
    items_count: 1,
  })
})

// Decisions 10 and 52.
test('lists logs with the recipient of their transaction, and echoes the topic', async () => {
  const topic = aHash(0xf)
  const { ask } = testApi({
    logsOfAddress: async () => [aLog({ topics: [topic] }), aLog()],
  })
  const path = `/api/v2/addresses/${address}/logs`
  const body = bodyOf(await ask(`${path}?topic=${topic}&items_count=1`))
  expect(body).toMatchObject({
    items: [
      {
        address: { hash: '0x0000000000000000000000000000000000000070' },
        address_hash: { hash: '0x0000000000000000000000000000000000000070' },
        smart_contract: { hash: '0x00000000000000000000000000000000000000cc' },
        topics: [topic, null, null, null],
        block_timestamp: '2023-11-14T22:13:20.000000Z',
        decoded: null,
      },
    ],
    next_page_params: { topic, block_number: 100, index: 5, items_count: 1 },
  })
})

// Decisions 24 and 54.
test('lists holders after value and address, and a token id if there is one', async () => {
  const path = `/api/v2/tokens/${token}/holders`
  const asked = await asking('holdersOfToken', [
    `${path}?value=5&address_hash=${address}`,
    `${path}?value=5&address_hash=${address}&token_id=3`,
    `${path}?value=5`,
  ])
  const places = [
    { token, after: { value: 5n, holder: address, tokenId: null } },
    { after: { tokenId: 3n } },
    { after: null },
  ]
  // An empty list is read once more, as its token was found only after that.
  expect(asked).toMatchObject(places.flatMap((place) => [place, place]))
})

test('gives a cursor of holders', async () => {
  const { ask } = testApi({
    holdersOfToken: async () => [aHolder({ part: part.instance, tokenId: 3n }), aHolder()],
    tokenStates: async () => new Map([[token, aToken()]]),
  })
  const body = bodyOf(await ask(`/api/v2/tokens/${token}/holders?items_count=1`))
  expect(body).toMatchObject({ items: [{ value: '5', token_id: '3' }] })
  expect(body).toHaveProperty('next_page_params', {
    address_hash: address,
    value: '5',
    token_id: '3',
    items_count: 1,
  })
})
