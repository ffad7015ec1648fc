import { setImmediate as settled } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import * as subjectQuestions from '../../../libs/queries/subjects.ts'
import { linkedTargets } from '../endpoints/testing/stories.ts'
import { linkedRows } from '../testing/linked-rows.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { type PendingQuery, pendingStore } from '../testing/pending-store.ts'
import { questions } from '../testing/questions.ts'
import { seeded } from '../testing/seeded.ts'
import { testApi } from '../testing/test-api.ts'
import { runOnStore } from './run-question.ts'

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

  it.each(linkedTargets)('answers 503 and leaves no rejection unhandled: %s', async (target) => {
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
    for (const target of linkedTargets) await run(target, all('first sent first', false), ran)
    const ofAnswers = Object.entries(questions).filter(([, one]) => !inBackground.has(one))
    const missing = ofAnswers.filter(([, question]) => !ran.has(question))
    expect(missing.map(([name]) => name)).toEqual([])
  })

  it(`answers 200 or 503 whatever fails when: seed ${seed}`, async () => {
    const next = seeded(seed)
    for (const target of linkedTargets) {
      for (let time = 0; time < randomRuns; time++) await expectUnavailable(target, random(next))
    }
  })
})
