import { expect, test } from 'vitest'
import { position } from '../../libs/chain/position.ts'
import { endpoints } from '../../libs/presenters/endpoints.ts'
import {
  aBalance,
  aHash,
  aHolder,
  aLog,
  anAddress,
  anAddressState,
  anInstance,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../libs/presenters/testing/rows.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { part } from '../../libs/tables/balances.ts'
import { side } from '../../libs/tables/transactions-by-address.ts'
import { familiesOf } from '../../libs/topics/families.ts'
import { Dependencies } from './dependencies.ts'
import { drawn } from './drawn.ts'
import { coveredBy, followedFamilies } from './families.ts'
import { Moved } from './moved.ts'
import { sharedOf } from './remembered-rows.ts'
import { router, segmentsOf } from './requests.ts'
import { routes } from './routes.ts'
import { storeAsks } from './store-asks.ts'
import { oneRowStore } from './testing/one-row-store.ts'

const [token, owner, delegate] = [anAddress(0x71), anAddress(0xa7), anAddress(0xd1)]
const hash = aHash(0x7a)
const version = { position: position(1), isDeleted: 0 }
const standard = indexOf('ERC-1155')

const transaction = { ...aTransaction({ hash, transfersCount: 1, to: token }), side: side.sender }
const listed = { ...transaction, address: owner }
const transfer = aTransfer({ token, tokenId: 7n, form: standard, transactionHash: hash })
const log = aLog({ address: token, transactionHash: hash, topics: [aHash(1)] })

/** A row in each table that names what stands in others. */
const { store, asked } = oneRowStore({
  transactions_by_address: [listed],
  transactions_by_value: [listed],
  transactions_by_fee: [{ ...listed, fee: 1n }],
  transactions: [transaction],
  transfers_by_token: [transfer],
  transfers_by_transaction: [transfer],
  logs_by_address: [log],
  logs_by_topic: [{ ...log, topic: aHash(1) }],
  logs_by_transaction: [log],
  balances_by_value: [aBalance({ token, standard, part: part.instance, tokenId: 7n })],
  holders: [aHolder({ token })],
  nfts_by_owner: [anNft({ owner, token, standard })],
  token_state: [aToken({ token, standard })],
  address_state: [anAddressState({ address: owner, isContract: false, delegate })],
  instances: [anInstance({ token, owner })],
  token_market: [{ token, kind: 'icon', fact: '{}', ...version }],
  address_labels: [{ address: delegate, kind: 'ens', fact: '{}', ...version }],
  instance_metadata: [{ token, tokenId: 7n, fact: '{}', ...version }],
  prices: [{ moment: 'now', price: '1', ...version }],
})

const place = 'block_number=200&index=5'
const questions: readonly string[] = [
  ...endpoints.map(({ path, subject }) =>
    path.replace(/\{\w+\}/, subject === 'address' ? token : hash),
  ),
  `/api/v2/addresses/${owner}/transactions?sort=value&order=asc`,
  `/api/v2/addresses/${owner}/transactions?sort=value&order=desc&value=9&${place}`,
  `/api/v2/addresses/${owner}/transactions?sort=fee&order=desc`,
  `/api/v2/addresses/${owner}/transactions?filter=from&${place}&items_count=1`,
  `/api/v2/addresses/${token}/logs?topic=${aHash(1)}`,
  `/api/v2/addresses/${token}/logs?${place}`,
  `/api/v2/tokens/${token}/transfers?${place}`,
  `/api/v2/tokens/${token}/transfers?batch_log_index=5&index_in_batch=3&batch_transaction_hash=${hash}`,
  `/api/v2/transactions/${hash}/token-transfers?type=ERC-20`,
  `/api/v2/transactions/${hash}/token-transfers?${place}`,
  `/api/v2/transactions/${hash}/summary?just_request_body=true`,
]

const routeOf = router(routes)

/** Families that the answer says it depends on, and tables that were asked for it. */
async function walked(target: string) {
  asked.clear()
  const [path = '', query = ''] = target.split('?')
  const match = routeOf(segmentsOf(path))
  const question = match?.route.read(match.subject, query)
  if (question === undefined || 'faults' in question) throw new Error(`no question: ${target}`)
  const moved = new Moved(followedFamilies)
  const asks = storeAsks(store)
  const metrics = startMetrics()
  // Nothing is remembered from the question before.
  const shared = sharedOf({ asks, moved, metrics, rowsMax: 100, step: () => 1 })
  const on = new Dependencies(moved.now, 1)
  const head = { block: 110, time: 1_800_000_000 }
  const { depends, page } = await drawn(question, { asks, shared, chainId: 1 }, { on, head })
  expect(page, `${target} is there`).not.toBeNull()
  const buckets = [...depends.exactly, ...depends.inSteps].map(([family]) => family)
  return { tables: [...asked], families: new Set([...buckets, ...depends.wholly]) }
}

test.each(questions)('depends on every table that is asked for %s', async (target) => {
  const { tables, families } = await walked(target)
  expect(tables.length).toBeGreaterThan(0)
  const forgotten = tables.filter((name) => !families.has(name) && !isCovered(name, families))
  expect(forgotten).toEqual([])
})

/** By the other table that its fold writes with it, or by the names of its tokens. */
const isCovered = (name: string, families: ReadonlySet<string>): boolean =>
  [coveredBy[name] ?? '', ...familiesOf(name)].some((family) => families.has(family))

test('the questions ask every table that answers are made from', async () => {
  const all = new Set<string>()
  for (const target of questions) for (const table of (await walked(target)).tables) all.add(table)
  const unasked = readModels.map(({ table }) => table.name).filter((name) => !all.has(name))
  expect(unasked.sort()).toEqual(['balances', 'blocks', 'progress'])
})

test('follows every family that an answer can depend on', async () => {
  const followed = new Set(followedFamilies.map(({ name }) => name))
  for (const target of questions) {
    const { families } = await walked(target)
    expect([...families].filter((family) => !followed.has(family))).toEqual([])
  }
})
