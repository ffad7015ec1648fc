import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clickhouseDefaults } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import type { HttpResponse } from '../../../libs/ports/http.ts'
import { StoreFailed, StoreUnavailable } from '../../../libs/ports/store.ts'
import { aBalance, anAddress, indexOf } from '../../../libs/presenters/testing/rows.ts'
import { events } from '../../../libs/signals/events.ts'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { runOnStore } from '../rows/run-question.ts'
import { runOnAnswers } from '../testing/answers.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { pendingStore } from '../testing/pending-store.ts'
import { leavingClient, slowApi, statusesOf, times, tokensOf } from '../testing/slow-api.ts'
import { testApi } from '../testing/test-api.ts'
import { pageLoadLimits, queriesPerPageMax } from './page-loads.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
afterEach(() => void vi.useRealTimers())
const forward = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const [greedy, polite] = ['203.0.113.1', '203.0.113.2']

describe('a client that requests more pages than are loaded', () => {
  it('neither delays nor displaces another one', async () => {
    const { ask, release, begun, counted } = slowApi({ loadsMax: 2, loadsWaitingMax: 10 })
    const scanned = times(40, (at) => ask(tokensOf(at), { client: greedy }))
    const own = ask(tokensOf(100), { client: polite })
    await forward(0)
    expect(begun()).toBe(2)
    release()
    expect((await own).status).toBe(200)
    const statuses = statusesOf(await Promise.all(scanned))
    // Two are loaded, ten wait, of which one gives way.
    expect(statuses.filter((status) => status === 200)).toHaveLength(11)
    expect(await counted()).toContain('foldscan_unavailable_total{reason="too many page loads"} 29')
  })

  it('has no more slots than its share, so that the next load of another one begins at once', async () => {
    const { ask, release, begun } = slowApi({
      loadsMax: 4,
      loadsPerClientMin: 1,
      loadsUnsharedMax: 0,
    })
    const all = [ask(tokensOf(100), { client: polite })]
    await forward(0)
    all.push(...times(9, (at) => ask(tokensOf(at), { client: greedy })))
    await forward(0)
    expect(begun()).toBe(1 + 2)
    all.push(ask(tokensOf(101), { client: polite }))
    await forward(0)
    expect(begun()).toBe(1 + 2 + 1)
    release()
    expect(statusesOf(await Promise.all(all))).toEqual(all.map(() => 200))
  })

  it('has slots beyond its share where few loads run', async () => {
    const { ask, release, begun } = slowApi({
      loadsMax: 8,
      loadsPerClientMin: 1,
      loadsUnsharedMax: 6,
    })
    const all = times(3, (at) => ask(tokensOf(at), { client: `192.0.2.${at + 1}` }))
    all.push(...times(9, (at) => ask(tokensOf(100 + at), { client: greedy })))
    await forward(0)
    // Its share of eight among four clients is two.
    expect(begun()).toBe(3 + 3)
    release()
    await Promise.all(all)
  })

  it('has all slots while it is alone', async () => {
    const { ask, release, begun } = slowApi({ loadsMax: 4, loadsPerClientMin: 1 })
    const all = times(9, (at) => ask(tokensOf(at), { client: greedy }))
    await forward(0)
    expect(begun()).toBe(4)
    release()
    await Promise.all(all)
  })

  it('takes no page from another one that waits for it too', async () => {
    const { ask, release } = slowApi({ loadsMax: 1, loadsWaitingMax: 4 })
    const ended: string[] = []
    const asked = async (at: number, client: string) => {
      const { status } = await ask(tokensOf(at), { client })
      ended.push(`${client} ${at} ${status}`)
    }
    const all = times(5, (at) => asked(at, greedy))
    all.push(asked(4, polite))
    await forward(0)
    // The newest load of the greedy one was displaced by this one.
    all.push(asked(100, '203.0.113.3'))
    await forward(0)
    release()
    await Promise.all(all)
    expect(ended).toContain(`${polite} 4 200`)
    expect(ended).toContain(`${greedy} 3 503`)
    expect(ended.indexOf(`${polite} 4 200`)).toBeLessThan(ended.indexOf(`${greedy} 2 200`))
  })

  it('waits its turn', async () => {
    const { ask, release } = slowApi({ loadsMax: 1, loadsWaitingMax: 10 })
    const ended: string[] = []
    const asked = (at: number, client: string) =>
      ask(tokensOf(at), { client }).then(() => ended.push(client))
    const all = [...times(5, (at) => asked(at, greedy)), asked(100, polite)]
    await forward(0)
    release()
    await Promise.all(all)
    expect(ended.indexOf(polite)).toBeLessThanOrEqual(2)
  })
})

describe('requests that wait for one page', () => {
  it('take no place from those that ask for others', async () => {
    const { ask, release, begun } = slowApi({ loadsMax: 2, loadsWaitingMax: 0 })
    const same = times(512, () => ask(tokensOf(1)))
    const stranger = ask(tokensOf(2))
    await forward(0)
    expect(begun()).toBe(2)
    release()
    expect((await stranger).status).toBe(200)
    expect(statusesOf(await Promise.all(same))).toEqual(times(512, () => 200))
  })

  it.each([
    { what: 'for one page', bounds: { waitersPerPageMax: 3 }, refused: 1, served: 2 },
    { what: 'for pages', bounds: { waitersMax: 3 }, refused: 2, served: 3 },
  ])('are refused where too many wait $what, and others are not', async (form) => {
    const { ask, release, counted } = slowApi(form.bounds)
    const loading = [ask(tokensOf(1)), ask(tokensOf(2))]
    const waiting = times(3, (at) => ask(tokensOf(1), { client: `192.0.2.${at}` }))
    await forward(0)
    const { status, headers } = await ask(tokensOf(form.refused))
    expect([status, headers['retry-after']]).toEqual([503, '1'])
    const others = [...loading, ...waiting, ask(tokensOf(form.served))]
    release()
    expect(statusesOf(await Promise.all(others))).toEqual(others.map(() => 200))
    const reason = `too many wait ${form.what}`
    expect(await counted()).toContain(`foldscan_unavailable_total{reason="${reason}"} 1`)
    expect((await ask(tokensOf(form.refused))).status).toBe(200)
  })

  it.each(['waitersPerPageMax', 'waitersMax'])(
    'of one client leave places for others: %s',
    async (bound) => {
      const { ask, release } = slowApi({ [bound]: 8 })
      const first = ask(tokensOf(1))
      const many = times(8, () => ask(tokensOf(1), { client: greedy }))
      await forward(0)
      const other = ask(tokensOf(1), { client: polite })
      release()
      expect(statusesOf(await Promise.all([first, other]))).toEqual([200, 200])
      expect(statusesOf(await Promise.all(many)).filter((status) => status === 503)).toHaveLength(4)
    },
  )

  it('are answered 503 where it fails, and the next request loads it anew', async () => {
    let isAway = true
    const balancesOfAddress = async () => {
      if (isAway) throw new StoreUnavailable('away')
      return []
    }
    const { ask } = testApi({ balancesOfAddress })
    const waiting = times(5, () => ask(tokensOf(1)))
    expect(statusesOf(await Promise.all(waiting))).toEqual(times(5, () => 503))
    isAway = false
    expect((await ask(tokensOf(1))).status).toBe(200)
  })
})

describe('page loads whose clients have left', () => {
  it('are never started once all waiting clients have disconnected', async () => {
    const { ask, release, begun } = slowApi({ loadsMax: 1 })
    const running = ask(tokensOf(1))
    const clients = times(3, leavingClient)
    const waiting = clients.map(({ onGone }) => ask(tokensOf(2), { onGone }))
    const kept = ask(tokensOf(3))
    await forward(0)
    for (const { leave } of clients) leave()
    expect(statusesOf(await Promise.all(waiting))).toEqual([499, 499, 499])
    release()
    expect(statusesOf(await Promise.all([running, kept]))).toEqual([200, 200])
    expect(begun()).toBe(2)
  })

  it('go on while one who waits is there', async () => {
    const { ask, release } = slowApi({ loadsMax: 1 })
    void ask(tokensOf(1))
    const [first, second] = times(2, leavingClient)
    const left = ask(tokensOf(2), { onGone: first?.onGone })
    const stays = ask(tokensOf(2), { onGone: second?.onGone })
    await forward(0)
    first?.leave()
    expect((await left).status).toBe(499)
    release()
    expect((await stays).status).toBe(200)
  })

  it('go on once they have begun, as the next request will want them', async () => {
    const { ask, release, begun } = slowApi()
    const { onGone, leave } = leavingClient()
    const left = ask(tokensOf(1), { onGone })
    await forward(0)
    leave()
    expect((await left).status).toBe(499)
    release()
    await forward(0)
    expect((await ask(tokensOf(1))).status).toBe(200)
    expect(begun()).toBe(1)
  })

  it('leave no place taken of those who wait', async () => {
    const { ask, release } = slowApi({ waitersMax: 2, waitersPerPageMax: 2 })
    const first = ask(tokensOf(1))
    for (let round = 0; round < 5; round++) {
      const clients = times(2, leavingClient)
      const waiting = clients.map(({ onGone }, at) =>
        ask(tokensOf(1), { onGone, client: `192.0.2.${at}` }),
      )
      await forward(0)
      expect((await ask(tokensOf(1))).status).toBe(503)
      for (const { leave } of clients) leave()
      expect(statusesOf(await Promise.all(waiting))).toEqual([499, 499])
    }
    release()
    expect((await first).status).toBe(200)
  })
})

describe('page loads', () => {
  it('run so many at once, the others in turn; what would wait behind too many is refused', async () => {
    const { ask, release, begun, counted } = slowApi({ loadsMax: 2, loadsWaitingMax: 3 })
    const loading = times(5, (at) => ask(tokensOf(at)))
    await forward(0)
    const refused = await ask(tokensOf(9))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(begun()).toBe(2)
    release()
    expect(statusesOf(await Promise.all(loading))).toEqual(times(5, () => 200))
    expect((await ask(tokensOf(9))).status).toBe(200)
    const route = '/api/v2/addresses/{address_hash}/tokens'
    expect(await counted()).toContain(`foldscan_requests_total{route="${route}",status="503"} 1`)
    expect(await counted()).toContain('foldscan_unavailable_total{reason="too many page loads"} 1')
  })

  it('are refused at once where the queue is full, but wait for a page that is being loaded', async () => {
    const { ask, release, counted } = slowApi({ loadsMax: 1, loadsWaitingMax: 1 })
    const all = [ask(tokensOf(1)), ask(tokensOf(2))]
    const refused = await ask(tokensOf(3))
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({ 'retry-after': '1', vary: 'accept-encoding' })
    expect(await counted()).toContain('foldscan_unavailable_total{reason="too many page loads"} 1')
    all.push(ask(tokensOf(2)))
    await forward(0)
    release()
    expect(statusesOf(await Promise.all(all))).toEqual([200, 200, 200])
  })

  it('are refused where their turn does not come in time, before they ask anything', async () => {
    const { ask, begun, release } = slowApi({ loadsMax: 1, loadWaitMsMax: 2_000 })
    const [first, late] = [ask(tokensOf(1)), ask(tokensOf(2))]
    await forward(2_001)
    expect((await late).status).toBe(503)
    release()
    expect((await first).status).toBe(200)
    expect(begun()).toBe(1)
  })

  it('end at their deadline, for all who wait, and free their place', async () => {
    const { ask, release, begun } = slowApi({
      loadsMax: 1,
      loadMsMax: 10_000,
      loadWaitMsMax: 60_000,
    })
    const waiting = times(3, () => ask(tokensOf(1)))
    const next = ask(tokensOf(2))
    await forward(10_000)
    expect(statusesOf(await Promise.all(waiting))).toEqual([503, 503, 503])
    expect((await next).status).toBe(503)
    // What was asked is still under way here: its place is free once it has ended.
    release()
    await forward(0)
    expect((await ask(tokensOf(3))).status).toBe(200)
    expect(begun()).toBe(2)
  })

  it('give up their queries at their deadline', async () => {
    const { store, pending, aborted } = pendingStore(oneRowStore({}).store)
    const { ask } = testApi(runOnStore(store), { loads: { loadMsMax: 10_000 } })
    const asked = ask(tokensOf(1))
    await forward(0)
    const sent = pending.length
    expect(sent).toBeGreaterThan(0)
    await forward(10_000)
    expect((await asked).status).toBe(503)
    expect(aborted()).toBe(sent)
  })

  it('give up their other queries when one fails', async () => {
    const { store, pending, aborted } = pendingStore(oneRowStore({}).store)
    const { ask } = testApi(runOnStore(store))
    const asked = ask(`/api/v2/tokens/${anAddress(0xa1)}/transfers`)
    await forward(0)
    const sent = pending.length
    expect(sent).toBeGreaterThan(1)
    pending[0]?.fail(new StoreUnavailable('not now'))
    expect((await asked).status).toBe(503)
    expect(aborted()).toBe(sent - 1)
  })

  it('have no more queries at once than their share of the queue of the store', async () => {
    vi.useRealTimers()
    const { loadsMax } = pageLoadLimits
    const { maxConnections, waitingMax } = clickhouseDefaults
    expect(loadsMax * queriesPerPageMax).toBeLessThanOrEqual(maxConnections + waitingMax)
    const instance = { standard: indexOf('ERC-1155'), part: part.instance }
    const rows = times(10_001, (at) =>
      aBalance({ token: anAddress(0xb00000 + at), tokenId: BigInt(at), ...instance }),
    )
    const { store, pending } = pendingStore(oneRowStore({}).store)
    const answers = runOnAnswers({ balancesOfAddress: async () => rows }, runOnStore(store))
    // The clock is real here, and the machine may be busy.
    const { ask } = testApi(answers, { loads: { loadMsMax: 600_000 } })
    const listPath = `/api/v2/addresses/${anAddress(0xa1)}/token-balances`
    let response: HttpResponse | null = null
    const asking = ask(listPath, { headers: {} }).then((answer) => {
      response = answer
    })
    let most = 0
    while (response === null) {
      await settled()
      most = Math.max(most, pending.length)
      for (const query of pending.splice(0)) query.answer()
    }
    await asking
    expect(response).toMatchObject({ status: 200 })
    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(queriesPerPageMax)
  })
})

describe('the log of requests that are answered 503', () => {
  it('has one line a second, which counts them by reason', async () => {
    const { ask, lines } = slowApi({ loadsMax: 0, loadsWaitingMax: 0 })
    for (let second = 0; second < 3; second++) {
      await Promise.all(times(100, (at) => ask(tokensOf(100 * second + at))))
      await forward(1_000)
    }
    const counts = lines.map(({ fields }) => fields.requests)
    expect(counts).toEqual([1, 99, 100, 100].slice(0, counts.length))
    expect(counts.length).toBeLessThanOrEqual(4)
    expect(lines[0]).toMatchObject({
      level: 'warn',
      fields: { event: events.api.unavailable, reasons: { 'too many page loads': 1 } },
      sentence: 'answered 503 to 1 request: too many page loads: 0 tasks are queued already',
    })
  })

  it('is quiet once there are none', async () => {
    const { ask, lines } = slowApi({ loadsMax: 0, loadsWaitingMax: 0 })
    await ask(tokensOf(1))
    await forward(60_000)
    await ask(tokensOf(2))
    expect(lines).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(1)
    await forward(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is at the level of errors where ClickHouse reports one that does not pass', async () => {
    const lines: LogFields[] = []
    const log = { ...silentLog, error: (fields: LogFields) => void lines.push(fields) }
    const error = new StoreFailed('ClickHouse at http://127.0.0.1:8123 reports an error')
    const { ask } = testApi({ balancesOfAddress: () => Promise.reject(error) }, { log })
    expect((await ask(tokensOf(1))).status).toBe(503)
    expect(lines).toMatchObject([{ runbook: 'deploy/runbooks/clickhouse-unavailable.md', error }])
  })
})
