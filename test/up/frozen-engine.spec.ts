import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { freeze } from '../support/freeze.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, type Running, startUp } from './running.ts'

const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const known = `/api/v2/tokens/${weth}/transfers`
let colds = 0
const cold = () => `/api/v2/addresses/0xc${(++colds).toString(16).padStart(39, '0')}/logs`

describe('while ClickHouse hangs', () => {
  const folder = freshFolder()
  let running: Running
  let engine: number

  beforeAll(async () => {
    running = startUp({ source: mainnet, 'data-dir': folder })
    engine = Number((await running.logged(events.engine.started)).pid)
    await running.logged(events.up.ready)
    await until('the page is there', async () => (await running.get(known)).status === 200)
  })
  afterAll(async () => {
    process.kill(engine, 'SIGCONT')
    running.kill('SIGTERM')
    await running.exited
    endAll()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers 503 from the first request on, and what is cached, until it goes on', async () => {
    await freeze(engine)
    const first = await Promise.all(Array.from({ length: 20 }, () => running.get(cold())))
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 503))
    expect((await running.get(known)).status).toBe(200)
    const away = await running.logged(events.clickhouse.unavailable)
    expect(away.msg).toMatch(
      /^ClickHouse at http:\/\/127\.0\.0\.1:\d+ did not answer within 1400 ms/,
    )
    // By the ping: no query had to wait for the end of its own time.
    expect(JSON.stringify(running.lines)).not.toMatch(/did not answer within \d{5} ms/)
    expect((await running.get(cold())).status).toBe(503)
    process.kill(engine, 'SIGCONT')
    await running.logged(events.clickhouse.available)
    await until('a page that is not cached', async () => (await running.get(cold())).status === 200)
  })

  it('is logged though there are no requests', async () => {
    const timesSaid = (event: string) => running.lines.filter((line) => line.event === event).length
    const before = timesSaid(events.clickhouse.unavailable)
    await freeze(engine)
    await until('it is logged', () => timesSaid(events.clickhouse.unavailable) > before)
    process.kill(engine, 'SIGCONT')
    await until('it is used again', () => timesSaid(events.clickhouse.available) > before)
  })
})
