import { rmSync } from 'node:fs'
import { Agent, type ClientRequest, get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { type Random, random as seeded } from '../queries/random.ts'
import { freeze } from '../support/freeze.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, type Running, startUp } from './running.ts'

const requestsMax = 4_000
const clientsMax = 100
const phases = 3

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const folder = freshFolder()
let running: Running
let engine: number

beforeAll(async () => {
  running = startUp({ source: mainnet, 'data-dir': folder })
  engine = Number((await running.logged(events.engine.started)).pid)
  await running.logged(events.up.ready)
})
afterAll(async () => {
  process.kill(engine, 'SIGCONT')
  running.kill('SIGTERM')
  await running.exited
  endAll()
  rmSync(folder, { recursive: true, force: true })
})

const hex = (bytes: number) =>
  `0x${Array.from({ length: bytes * 2 }, () => random.below(16).toString(16)).join('')}`
const famous = [
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  '0xdac17f958d2ee523a2206206994597c13d831ec7',
  '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
]

/** Parts of a query: places near and far, made up and of others, filters, nonsense. */
const parts: readonly ((random: Random) => string)[] = [
  ({ below }) => `block_number=${below(20_000_000)}&index=${below(400)}`,
  () => 'block_number=99999999&index=0&items_count=1',
  ({ below }) => `value=${below(10 ** 9)}&id=${below(10 ** 9)}`,
  ({ below }) =>
    `batch_log_index=${below(300)}&index_in_batch=${below(5)}&batch_transaction_hash=${hex(32)}`,
  ({ below }) => `address_hash=${hex(20)}&value=${below(10 ** 9)}`,
  () => `token_contract_address_hash=${hex(20)}&token_id=1&token_type=ERC-721`,
  ({ oneOf }) => `type=${oneOf(['ERC-20', 'ERC-721', 'ERC-1155,ERC-404', 'x'])}`,
  ({ oneOf }) => `sort=${oneOf(['value', 'fee'])}&order=${oneOf(['asc', 'desc'])}`,
  ({ below }) => `items_count=${below(130)}`,
  () => `topic=${hex(32)}`,
  ({ below }) => `x=${'y'.repeat(below(6_000))}`,
]

function target(): string {
  const { path, subject } = random.oneOf(routes)
  const address = random.below(2) === 0 ? random.oneOf(famous) : hex(20)
  const asked = path.replace(/\{\w+\}/, subject === 'address' ? address : hex(32))
  const query = Array.from({ length: random.below(4) }, () => random.oneOf(parts)(random)).join('&')
  return query === '' ? asked : `${asked}?${query}`
}

const known = new Set([200, 404, 414, 422, 503])

test('a server that many ask at random while ClickHouse hangs again and again', async () => {
  const { hostname, port } = new URL(await running.origin())
  const agent = new Agent({ keepAlive: true, maxSockets: clientsMax })
  const counts = new Map<number, number>()
  const wrong: string[] = []
  let [sent, left] = [0, 0]

  /** Some clients leave before they are answered. */
  const ask = (path: string, isLeaving: boolean) =>
    new Promise<void>((resolve) => {
      const request: ClientRequest = get({ hostname, port, path, agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        counts.set(status, (counts.get(status) ?? 0) + 1)
        const isRetried = status !== 503 || headers['retry-after'] === '1'
        if (!known.has(status) || !isRetried) wrong.push(`${status} ${path}`)
        response.resume().on('end', resolve).on('error', resolve)
      })
      request.on('error', resolve)
      request.on('close', resolve)
      if (isLeaving) request.on('socket', () => setImmediate(() => request.destroy()))
    })
  const client = async () => {
    while (sent < requestsMax) {
      sent += 1
      const isLeaving = random.below(30) === 0
      if (isLeaving) left += 1
      await ask(target(), isLeaving)
    }
  }
  const clients = Promise.all(Array.from({ length: clientsMax }, client))
  const disturbing = (async () => {
    for (let phase = 1; phase <= phases && sent < requestsMax; phase++) {
      const begins = (requestsMax * phase) / (phases + 1)
      await until('some were sent', () => sent >= begins, 300_000)
      await freeze(engine)
      const away = timesSaid(events.clickhouse.unavailable)
      await until('it is away', () => timesSaid(events.clickhouse.unavailable) > away)
      const used = timesSaid(events.clickhouse.available)
      process.kill(engine, 'SIGCONT')
      await until('it is used again', () => timesSaid(events.clickhouse.available) > used)
    }
  })()
  await Promise.all([clients, disturbing])
  agent.destroy()

  expect(wrong, seed).toEqual([])
  expect(left, seed).toBeGreaterThan(0)
  for (const status of [200, 422, 503]) expect(counts.get(status), seed).toBeGreaterThan(0)
  await until('a page that is not cached', async () => {
    return (await running.get(`/api/v2/addresses/${hex(20)}/logs`)).status === 200
  })
  expect((await running.get('/health/live')).status).toBe(200)
  await until('nothing is left', async () => {
    const text = await metrics()
    return [
      'requests_in_flight',
      'page_loads{state="running"}',
      'page_loads{state="waiting"}',
    ].every((name) => text.includes(`foldscan_${name} 0\n`))
  })
  const errors = running.lines.filter(({ level }) => level === 'error' || level === 'fatal')
  expect(errors).toEqual([])
  expect(closestLines()).toBeGreaterThanOrEqual(990)
}, 600_000)

const timesSaid = (event: string) => running.lines.filter((line) => line.event === event).length

async function metrics(): Promise<string> {
  const response = await fetch(`${await running.health()}/metrics`)
  return response.text()
}

/** Milliseconds between two lines about requests that were answered 503, at least. */
function closestLines(): number {
  const times = running.lines
    .filter(({ event }) => event === events.api.unavailable)
    .map(({ time }) => Date.parse(z.string().parse(time)))
  return Math.min(...times.slice(1).map((time, at) => time - (times[at] ?? 0)))
}
