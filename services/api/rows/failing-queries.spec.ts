import { setImmediate as settled } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { aHash, anAddress } from '../../../libs/presenters/testing/rows.ts'
import * as subjectQuestions from '../../../libs/queries/subjects.ts'
import { routes } from '../endpoints/routes.ts'
import { linked, linkedRows } from '../testing/linked-rows.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { type PendingQuery, pendingStore } from '../testing/pending-store.ts'
import { questions } from '../testing/questions.ts'
import { seeded } from '../testing/seeded.ts'
import { testApi } from '../testing/test-api.ts'
import { runOnStore } from './run-question.ts'

const { token, owner, rich, hash } = linked

const place = 'block_number=200&index=5'
const sentinel = 'block_number=99999999&index=0&items_count=1'
const batch = 'batch_log_index=5&index_in_batch=3'
const wholeBatch = `${batch}&batch_transaction_hash=${hash}&batch_block_hash=${aHash(0xb1)}`
const otherBlock = `${batch}&batch_transaction_hash=${hash}&batch_block_hash=${aHash(0xb2)}`

/** Cursors of each list: none, complete, reduced, of a batch, made up. */
const cursors: Readonly<Record<string, readonly string[]>> = {
  '/addresses/{address_hash}/tokens': [
    'value=9&id=12&fiat_value=null&items_count=50&token_name=Gold&token_type=ERC-20',
    'value=9&id=12',
    'value=9',
    'type=ERC-20,ERC-721',
    `value=${2n ** 256n - 1n}&id=99999999`,
  ],
  '/addresses/{address_hash}/transactions': [
    `${place}&hash=${hash}&inserted_at=2023-11-14T22:13:20.000000Z&value=9&fee=1&items_count=50`,
    place,
    'block_number=200',
    sentinel,
    `filter=from&${place}`,
    `sort=value&order=desc&value=9&${place}`,
    `sort=value&order=asc&${sentinel}`,
    'sort=fee&order=desc',
    `sort=fee&order=asc&fee=1&${place}`,
  ],
  '/addresses/{address_hash}/token-balances': [],
  '/addresses/{address_hash}/nft': [
    `token_contract_address_hash=${token}&token_id=7&token_type=ERC-1155&items_count=50`,
    `token_contract_address_hash=${token}`,
    `token_contract_address_hash=${anAddress(1)}&token_id=${2n ** 256n - 1n}&token_type=ERC-721`,
    'type=ERC-721',
  ],
  '/tokens/{address_hash}/transfers': [
    `${place}&${wholeBatch}&items_count=50`,
    `${place}&items_count=50`,
    'block_number=200',
    wholeBatch,
    otherBlock,
    `${place}&${otherBlock}`,
    batch,
    `batch_log_index=0&index_in_batch=0&batch_transaction_hash=${hash}`,
    sentinel,
  ],
  '/addresses/{address_hash}/logs': [
    `topic=${aHash(1)}&${place}&items_count=50`,
    place,
    'index=5',
    `topic=${aHash(1)}`,
    sentinel,
  ],
  '/transactions/{transaction_hash}/token-transfers': [
    `block_number=100&index=4&${wholeBatch}`,
    'block_number=100&index=4',
    'index=4',
    wholeBatch,
    otherBlock,
    batch,
    sentinel,
    'type=ERC-20',
    `type=ERC-721&${wholeBatch}`,
  ],
  '/tokens/{address_hash}/holders': [
    `address_hash=${owner}&value=9&token_id=7&items_count=50`,
    `address_hash=${owner}&value=9`,
    'value=9',
    `address_hash=${owner}&value=${2n ** 256n - 1n}&token_id=null`,
  ],
  '/transactions/{transaction_hash}/summary': ['just_request_body=true'],
  '/tokens/{address_hash}': [],
}

const subjectOf = (path: string) => (/\/tokens\/|logs/.test(path) ? token : owner)

const targets = routes.flatMap(({ path, subject }) => {
  const known = cursors[path.replace('/api/v2', '')] ?? []
  return [subject === 'address' ? subjectOf(path) : hash, rich].flatMap((one) => {
    if (one === rich && !/\/(?:tokens|token-balances)$/.test(path)) return []
    const target = path.replace(/\{\w+\}/, one)
    return [target, ...known.map((query) => `${target}?${query}`)]
  })
})

/** Ends one of the pending queries. @returns whether it failed. */
type Schedule = (pending: PendingQuery[]) => boolean

/** Read for no answer; `subject-filter.spec.ts` lets them fail. */
const inBackground = new Set<unknown>(Object.values(subjectQuestions))

const orders = ['first sent first', 'last sent first'] as const
type Order = (typeof orders)[number]

function end(pending: PendingQuery[], at: number, isFailing: boolean): boolean {
  const [query] = pending.splice(at, 1)
  if (query === undefined) throw new Error(`no query at ${at}`)
  if (isFailing) query.fail(new StoreUnavailable('away'))
  else query.answer()
  return isFailing
}

const all =
  (order: Order, isFailing: boolean): Schedule =>
  (pending) =>
    end(pending, order === 'first sent first' ? 0 : pending.length - 1, isFailing)

/** Fails the query of that number, as soon as it is sent or once it alone is left. */
const one =
  (number: number, when: 'at once' | 'last', order: Order): Schedule =>
  (pending) => {
    const at = pending.findIndex((query) => query.number === number)
    if (at >= 0 && (when === 'at once' || pending.length === 1)) return end(pending, at, true)
    const others = pending.map((_, index) => index).filter((index) => index !== at)
    return end(pending, others.at(order === 'first sent first' ? 0 : -1) ?? 0, false)
  }

const random =
  (next: () => number): Schedule =>
  (pending) =>
    end(pending, Math.floor(next() * pending.length), next() < 0.3)

/** One request to an API that remembers nothing; the schedule ends each of its queries. */
async function run(target: string, schedule: Schedule, ran = new Set<unknown>()) {
  const { store, pending } = pendingStore(oneRowStore(linkedRows).store)
  const onStore = runOnStore(store)
  const { ask, announce } = testApi((question, ...rest) => {
    ran.add(question)
    return onStore(question, ...rest)
  })
  announce('ledger', 1)
  announce('state', 1)
  // The hour whose rates are there.
  announce('dimensions', 1, { time: 3_600 })
  let status: number | null = null
  const asking = ask(target).then((response) => {
    status = response.status
    return response.headers['retry-after']
  })
  let [sent, isFailed] = [0, false]
  while (status === null || pending.length > 0) {
    await settled()
    if (pending.length === 0) continue
    sent = Math.max(sent, ...pending.map(({ number }) => number + 1))
    isFailed = schedule(pending) || isFailed
  }
  await settled()
  return { sent, isFailed, status, retryAfter: await asking }
}

const seed = Math.floor(Math.random() * 2 ** 32)
const randomRuns = 5

describe('while queries fail', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  beforeAll(() => void process.on('unhandledRejection', note))
  afterAll(() => void process.off('unhandledRejection', note))

  async function expectUnavailable(target: string, schedule: Schedule): Promise<void> {
    const { isFailed, status, retryAfter } = await run(target, schedule)
    const wanted = isFailed ? [503, '1', []] : [200, undefined, []]
    expect([status, retryAfter, unhandled.splice(0)]).toEqual(wanted)
  }

  it.each(targets)('answers 503 and leaves no rejection unhandled: %s', async (target) => {
    const { sent, status } = await run(target, all('first sent first', false))
    expect(status).toBe(200)
    expect(sent).toBeGreaterThan(0)
    for (const order of orders) await expectUnavailable(target, all(order, true))
    for (let number = 0; number < sent; number++) {
      await expectUnavailable(target, one(number, 'at once', 'first sent first'))
      await expectUnavailable(target, one(number, 'last', 'last sent first'))
    }
  })

  it('asks every question', async () => {
    const ran = new Set<unknown>()
    for (const target of targets) await run(target, all('first sent first', false), ran)
    const ofAnswers = Object.entries(questions).filter(([, one]) => !inBackground.has(one))
    const missing = ofAnswers.filter(([, question]) => !ran.has(question))
    expect(missing.map(([name]) => name)).toEqual([])
  })

  it(`answers 200 or 503 whatever fails when: seed ${seed}`, async () => {
    const next = seeded(seed)
    for (const target of targets) {
      for (let time = 0; time < randomRuns; time++) await expectUnavailable(target, random(next))
    }
  })
})
