import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../services/api/endpoints/routes.ts'
import { zeroAddress } from '../chain/hex.ts'
import { part } from '../tables/tables/balances.ts'
import type { Lookups } from './lookups.ts'
import { balanceObject, holderObject, unpagedBalance } from './objects/balance.ts'
import { nftObject } from './objects/instance.ts'
import { type LogRow, logObject } from './objects/log.ts'
import { transactionObject } from './objects/transaction.ts'
import type { TransactionRow } from './objects/transaction-row.ts'
import { type TransferRow, transferObject } from './objects/transfer.ts'
import { openApiOf } from './open-api/open-api.ts'
import { summaryRequest } from './summary/summary.ts'
import { emitted, words } from './testing/executed.ts'
import { lookupsOf } from './testing/lookups.ts'
import * as rows from './testing/rows.ts'

const { aHash, anAddress, indexOf } = rows
const [sender, recipient, delegate] = [anAddress(0xa1), anAddress(0xa2), anAddress(0xd1)]
const collection = anAddress(0x71)
const mediaUrl = 'https://a.example/1'
const tag = { slug: 'x', name: 'X', tagType: 'name', ordinal: 1, meta: {} }
const otherTag = { slug: 'y', name: 'Y', tagType: 'generic', ordinal: 0, meta: {} }

const everythingKnown = lookupsOf({
  tokens: [
    rows.aToken(),
    rows.aToken({ token: collection, standard: indexOf('ERC-1155'), holdersCount: 3 }),
    rows.aToken({ token: sender }),
  ],
  addresses: [
    rows.anAddressState({ address: sender, isContract: false, delegate }),
    rows.anAddressState({ address: recipient }),
  ],
  instances: [rows.anInstance()],
  tokenFacts: {
    ...{ exchangeRate: '1', volume24h: '2', marketCap: '3', circulatingSupply: '4' },
    ...{ iconUrl: mediaUrl, isScam: true },
  },
  addressFacts: (address) => ({
    ...{ ensName: 'x.eth', isScam: true, isVerified: true, proxyType: 'eip1967' },
    tags: address === recipient ? [otherTag] : [tag],
    implementations: [{ address: delegate, name: address === recipient ? 'Safe' : null }],
  }),
  instanceFacts: {
    metadata: { name: 'x' },
    media: {
      ...{ imageUrl: mediaUrl, animationUrl: mediaUrl, externalUrl: mediaUrl },
      mediaType: 'image/png',
    },
  },
  prices: { now: '2000', '2023-11-14': '1900' },
  head: { block: 120, time: 1_700_100_000 },
})

interface Shown {
  readonly transaction: TransactionRow
  readonly transfers: readonly TransferRow[]
  readonly logs: readonly LogRow[]
}

const place = { blockNumber: 101, blockHash: aHash(3), timestamp: 1_700_000_001 }
const nft = { token: collection, tokenId: 8n, from: zeroAddress, to: zeroAddress }
const actions = [
  { protocol: 'uniswap_v2', type: 'swap', sums: [] },
  { protocol: 'uniswap_v3', type: 'mint', sums: [] },
]
const signed = (digit: string) => ({ r: `0x${digit}`, s: `0x${digit}`, yParity: digit })
const authorizations = [
  { chainId: '1', nonce: '2', delegate, authority: null },
  { chainId: '1', nonce: '2', delegate, authority: sender, signature: signed('1'), status: 'ok' },
  { chainId: '1', nonce: '2', delegate, authority: sender, signature: signed('0'), status: null },
]

/** Transactions that differ in every column. */
const shown: readonly Shown[] = [
  { transaction: rows.aTransaction(), transfers: [rows.aTransfer()], logs: [rows.aLog()] },
  {
    transaction: rows.aTransaction({
      ...{ ...place, hash: aHash(4), index: 4, type: 4, nonce: 1, parentTimestamp: null },
      ...{ from: recipient, to: null, createdContract: sender, value: 1n, input: '0x01' },
      ...{ gasLimit: 1n, gasUsed: 2n, gasPrice: 3n, status: 0, error: 'execution reverted' },
      ...{ maxFeePerGas: null, maxPriorityFeePerGas: null, baseFeePerGas: null },
      ...{ revertReason: '0x1234', transfersCount: 20, hasInnerError: true },
      actions: JSON.stringify(actions),
      authorizations: JSON.stringify(authorizations),
    }),
    transfers: [
      rows.aTransfer({
        ...{ ...place, ...nft, form: indexOf('ERC-1155'), value: 1n, logIndex: 1, method: null },
        transactionHash: aHash(4),
      }),
    ],
    logs: [
      {
        ...emitted('Sync(uint112,uint112)', { by: sender, plain: [1n, 2n] }),
        ...{ ...place, transactionHash: aHash(4), recipient: null },
      },
    ],
  },
  {
    transaction: rows.aTransaction({ input: `0xa9059cbb${words(sender, 5n).slice(2)}`, status: 1 }),
    transfers: [],
    logs: [
      emitted('Transfer(address,address,uint256)', {
        ...{ by: sender, indexed: [sender, recipient, 1n] },
      }),
    ],
  },
]

function* bodies(lookups: Lookups, { transaction, transfers, logs }: Shown) {
  const chainId = lookups === everythingKnown ? 1 : 2
  yield ['Transaction', transactionObject(transaction, transfers, lookups)] as const
  yield [
    'SummaryRequest',
    summaryRequest({ transaction, transfers, logs }, chainId, lookups),
  ] as const
  for (const row of transfers) yield ['TokenTransfer', transferObject(row, lookups)] as const
  for (const row of logs) yield ['Log', logObject(row, lookups)] as const
  for (const [holder, token] of [
    [sender, anAddress(0x70)],
    [recipient, collection],
  ] as const) {
    const standard = indexOf(token === collection ? 'ERC-1155' : 'ERC-20')
    const of = { token, holder, standard, value: BigInt(standard), tokenId: BigInt(7 + standard) }
    const held = { ...of, part: standard === 0 ? part.fungible : part.instance }
    yield ['Holder', holderObject(rows.aHolder(held), lookups)] as const
    yield ['TokenBalance', balanceObject(rows.aBalance(held), lookups)] as const
    yield ['UnpagedTokenBalance', unpagedBalance(rows.aBalance(held), lookups)] as const
    const owned = { ...of, token: collection, owner: holder }
    yield ['Nft', nftObject(rows.anNft(owned), lookups)] as const
  }
}

/** Each field with what it is: a scalar, or whether a list is empty. */
function* fieldsOf(value: unknown, path: string): Generator<[path: string, is: unknown]> {
  if (Array.isArray(value)) {
    yield [path, value.length === 0 ? 'an empty list' : 'a list']
    for (const item of value) yield* fieldsOf(item, path)
  } else if (typeof value === 'object' && value !== null) {
    yield [path, 'an object']
    for (const [name, inner] of Object.entries(value)) yield* fieldsOf(inner, `${path}.${name}`)
  } else yield [path, value]
}

/** The name by which fields of all bodies are compared. */
function fieldName(path: string): string {
  const [parent = '', name = ''] = path.split('.').slice(-2)
  return name === 'type' ? `${parent}.${name}` : name
}

/** Fields that have one value in all bodies. */
function unvariedFields(): readonly string[] {
  const values = new Map<string, Set<unknown>>()
  for (const lookups of [lookupsOf(), everythingKnown]) {
    for (const [name, body] of shown.flatMap((one) => [...bodies(lookups, one)])) {
      for (const [path, value] of fieldsOf(body, name)) {
        const field = fieldName(path)
        values.set(field, (values.get(field) ?? new Set()).add(value))
      }
    }
  }
  const single = [...values].filter(([, { size }]) => size === 1)
  return single.filter(([, only]) => !only.has('an object')).map(([field]) => field)
}

const schema = z.looseObject({
  const: z.unknown().optional(),
  type: z.unknown().optional(),
  maxItems: z.number().optional(),
  description: z.string().optional(),
})

type Declared = readonly [path: string, description: string | null]

/** Each field of each object that the contract allows one value only. */
function* declaredConstants(value: unknown, path: string): Generator<Declared> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    // The alternatives of a union are distinguished by a constant: it is not always sent.
    if (name === 'anyOf' || name === 'oneOf') continue
    if (name !== 'properties') {
      yield* declaredConstants(inner, `${path}.${name}`)
      continue
    }
    for (const [field, property] of Object.entries(z.record(z.string(), schema).parse(inner))) {
      const isConstant = 'const' in property || property.type === 'null' || property.maxItems === 0
      if (isConstant) yield [`${path}.${field}`, property.description ?? null]
      yield* declaredConstants(property, `${path}.${field}`)
    }
  }
}

const document = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
})
const openApi = openApiOf(routes, { publishedTypes: false, version: '1.2.3' })
const { Error: _, ...schemas } = document.parse(JSON.parse(JSON.stringify(openApi))).components
  .schemas
const declared = Object.entries(schemas).flatMap(([name, one]) => [...declaredConstants(one, name)])

test('a field that follows no fact and no row is constant in the contract, and no other is', () => {
  // Rendered by the summary alone, of which no other field is fixed.
  const fields = declared.map(([path]) => fieldName(path)).filter((name) => name !== 'success')
  expect([...new Set(fields)].sort()).toEqual([...unvariedFields()].sort())
})

test('every constant field says in the contract why it never changes', () => {
  expect(declared.filter(([, why]) => !/^(Always|Never) .+: /.test(why ?? ''))).toEqual([])
})
