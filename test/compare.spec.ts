import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { uwsServer } from '../libs/adapters/uws/uws-server.ts'
import type { HttpHandler, HttpServer } from '../libs/ports/http.ts'
import { silentLog } from '../libs/signals/log.ts'
import { startMetrics } from '../libs/signals/metrics.ts'
import { holders } from '../libs/tables/tables/holders.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { type Api, startApi } from '../services/api/api.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { runFoldscan } from './services/run-foldscan.ts'
import { consecutiveBlocks } from './support/mainnet-block.ts'
import { mainnetId, mainnetMessages } from './support/mainnet-messages.ts'
import { testSeed } from './support/seed.ts'
import { until } from './support/until.ts'

/** USDC: every block moves it. */
const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const blocks = consecutiveBlocks.slice(0, 3)
const head = `${blocks.at(-1)}`
const seedFlag = ['--seed', `${testSeed}`]

let [one, other]: EmbeddedServices[] = []
const servers: HttpServer[] = []
let restarted: Api | null = null

async function folded(): Promise<EmbeddedServices> {
  const services = await startEmbedded(mainnetId)
  const messages = await mainnetMessages(blocks)
  await services.eventLog.append(
    'blocks',
    messages.map((message) => ({ key: `${mainnetId}`, value: encodeMessage(message) })),
  )
  await services.reached(messages.length, Number(head))
  return services
}

async function served(handler: HttpHandler): Promise<string> {
  const metrics = startMetrics()
  const server = await uwsServer({ port: 0, log: silentLog, handler, metrics })
  servers.push(server)
  return `http://127.0.0.1:${server.port}`
}

beforeAll(async () => {
  one = await folded()
  other = await folded()
})

afterAll(async () => {
  for (const server of servers) await server.close()
  await restarted?.stop()
  await one?.stop()
  await other?.stop()
})

const verdict = z.looseObject({
  status: z.string(),
  subjects: z.number(),
  pages: z.number(),
  differences: z.array(
    z.looseObject({
      endpoint: z.string(),
      field: z.string(),
      count: z.number(),
      example: z.looseObject({
        path: z.string(),
        item: z.string().nullable(),
        here: z.string(),
        there: z.string(),
      }),
    }),
  ),
  failures: z.array(z.unknown()),
})

/** `foldscan compare` of two URLs, from one token on. */
async function compared(url: string, withUrl: string, ...more: string[]) {
  const words = ['compare', token, '--url', url, '--with', withUrl, ...seedFlag, ...more]
  return runFoldscan(words)
}

it('finds two of ours equal', async () => {
  if (!one || !other) throw new Error('not started')
  const [here, there] = [await served(one.handler), await served(other.handler)]
  const { code, stdout, stderr } = await compared(here, there, '--sample', '30', '--json')
  expect(stderr).toBe('')
  const { status, subjects, pages, differences, failures } = verdict.parse(JSON.parse(stdout))
  expect({ status, differences, failures }, stdout).toEqual({
    ...{ status: 'equal', differences: [], failures: [] },
  })
  expect([code, subjects]).toEqual([0, 30])
  expect(pages).toBeGreaterThan(100)
})

it('draws subjects from the tables where none is named', async () => {
  if (!one || !other) throw new Error('not started')
  const [here, there] = [await served(one.handler), await served(other.handler)]
  const { address, database } = one.tables
  const words = ['compare', '--url', here, '--with', there, '--sample', '10', ...seedFlag]
  const tables = {
    FOLDSCAN_CLICKHOUSE_URL: address.url,
    FOLDSCAN_CLICKHOUSE_DATABASE: database,
    FOLDSCAN_CLICKHOUSE_READ_USER: address.username,
    FOLDSCAN_CLICKHOUSE_READ_PASSWORD: address.password,
  }
  const { code, stdout, stderr } = await runFoldscan(words, tables)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^no difference: \d+ pages of 10 subjects, seed \d+$/m)
  expect(code).toBe(0)
})

it('names the row that was falsified in ClickHouse', async () => {
  if (!one || !other) throw new Error('not started')
  const { store } = other.tables
  const page = z.object({
    items: z.array(z.object({ address: z.object({ hash: z.string() }), value: z.string() })).min(3),
  })
  const { body } = await one.get(`/api/v2/tokens/${token}/holders`)
  const [, { address, value } = { address: { hash: '' }, value: '' }] = page.parse(body).items
  const holder = address.hash.toLowerCase()
  await store.execute(
    `ALTER TABLE ${holders.stored} UPDATE value = value - 1 WHERE token = unhex('${token.slice(2)}')
     AND value = toUInt256('${value}') SETTINGS mutations_sync = 2`,
  )
  // One that has no page in its caches.
  const { eventLog, tables } = other
  const metrics = startMetrics()
  restarted = await startApi({
    ...{ store: tables.store, eventLog, chainId: mainnetId, log: silentLog, metrics },
    limits: { figuresStepSeconds: 0 },
  })
  const there = await served(restarted.handler)
  await until('the head', async () => {
    const { headers } = await fetch(`${there}/api/v2/tokens/${token}`)
    return headers.get('x-indexed-block') === head
  })

  const { code, stdout } = await compared(await served(one.handler), there, '--sample', '5')
  expect(stdout).toContain(
    [
      '/api/v2/tokens/{address_hash}/holders items[].value: 1 difference',
      `  /api/v2/tokens/${token}/holders, item ${holder}`,
      `  here  "${value}"`,
      `  there "${BigInt(value) - 1n}"`,
    ].join('\n'),
  )
  expect(stdout).toMatch(/^they differ: /m)
  expect(code).toBe(2)
})

it('says which side does not answer, without the password of its URL', async () => {
  if (!one) throw new Error('not started')
  const here = await served(one.handler)
  const gone = await served(one.handler)
  await servers.pop()?.close()
  const away = gone.replace('http://', 'http://somebody:secret@')
  const { code, stdout, stderr } = await compared(here, away, '--sample', '2')
  expect(code).toBe(1)
  expect(stdout).toMatch(/\d+ x there cannot be reached: .+, for example \/api\/v2\/addresses\//)
  expect(stdout + stderr).not.toContain('secret')
})
