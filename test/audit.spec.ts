import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { rpcSource } from '../libs/adapters/rpc/rpc-source.ts'
import { uwsServer } from '../libs/adapters/uws/uws-server.ts'
import type { ChainSource } from '../libs/ports/chain-source.ts'
import type { HttpServer } from '../libs/ports/http.ts'
import { silentLog } from '../libs/signals/log.ts'
import { startMetrics } from '../libs/signals/metrics.ts'
import { type Api, startApi } from '../services/api/api.ts'
import { startDemoChain } from '../services/demo-chain/demo-chain.ts'
import type { DemoChain } from '../services/demo-chain/demo-chain-port.ts'
import type { Ingestor } from '../services/ingestor/running-ingestor.ts'
import { startInMemory } from '../services/ingestor/testing/start-in-memory.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { runFoldscan } from './services/run-foldscan.ts'
import { chainInLog } from './support/chain-in-log.ts'
import { plantLies } from './support/plant-lies.ts'
import { until } from './support/until.ts'

/** Of a chain that has all kinds of rows which are falsified. */
const seed = 20_261_130
const quiet = { info: () => {}, error: () => {} }
const backlogTimeoutMs = 120_000
/** Each difference is looked at three times. */
const auditTimeoutMs = 600_000

let chain: DemoChain
let source: ChainSource
let embedded: EmbeddedServices
let ingestor: Ingestor
const apis: Api[] = []
const servers: HttpServer[] = []

beforeAll(async () => {
  chain = await startDemoChain({
    seed,
    backlogTransactions: 120,
    blockIntervalMs: null,
    genesisTime: 1_700_000_000,
    log: quiet,
  })
  source = await rpcSource({ url: chain.url })
  embedded = await startEmbedded(chain.chainId)
  ingestor = await startInMemory({ source, eventLog: embedded.eventLog })
  const { number } = chain.head()
  const arrived = async () => ingestor.status().block === number
  await until(`block ${number} in the log`, arrived, backlogTimeoutMs)
  const { accepted } = await chainInLog(embedded.eventLog)
  await embedded.reached(accepted.at(-1)?.sequence ?? 0, number)
}, backlogTimeoutMs)

afterAll(async () => {
  for (const server of servers) await server.close()
  for (const api of apis) await api.stop()
  await ingestor.stop()
  await embedded.stop()
  await source.close()
  await chain.stop()
})

/** An API that has no page in its caches, at the head. @returns its URL */
async function freshApi(): Promise<string> {
  const { eventLog, tables } = embedded
  const metrics = startMetrics()
  const api = await startApi({
    ...{ store: tables.store, eventLog, chainId: chain.chainId, log: silentLog, metrics },
    limits: { figuresStepSeconds: 0 },
  })
  apis.push(api)
  const server = await uwsServer({ port: 0, log: silentLog, handler: api.handler, metrics })
  servers.push(server)
  const url = `http://127.0.0.1:${server.port}`
  await until('the head', async () => {
    const { headers } = await fetch(`${url}/api/v2/addresses/0x${'00'.repeat(20)}/logs`)
    return headers.get('x-indexed-block') === `${chain.head().number}`
  })
  return url
}

/** As printed with `--json`. */
const noted = z.object({
  count: z.number(),
  examples: z.array(
    z.object({
      ...{ kind: z.string(), path: z.string(), field: z.string(), block: z.number() },
      ...{ shown: z.string().nullable(), told: z.string().nullable() },
    }),
  ),
})
const report = z.object({
  status: z.string(),
  ...{ differing: noted, unknown: noted, moved: noted },
  rows: z.array(
    z.object({
      ...{ kind: z.string(), standard: z.string().nullable(), checked: z.number() },
      ...{ equal: z.number(), differing: z.number(), unknown: z.number(), unanswered: z.number() },
    }),
  ),
  failures: z.array(z.unknown()),
})

async function audited(url: string, ...more: string[]) {
  const fast = ['--calls-per-second', '100000', '--seed', '1']
  const words = ['audit', '--url', url, '--source', chain.url, ...fast, ...more]
  const { code, stdout, stderr } = await runFoldscan(words)
  return { code, stdout, stderr }
}

test(
  'nothing that the demo shows differs from its node',
  async () => {
    const { code, stdout, stderr } = await audited(await freshApi(), '--sample', '40', '--json')
    expect(stderr).not.toMatch(/warn|error|fatal/i)
    const { rows, ...found } = report.parse(JSON.parse(stdout))
    const notEqual = rows.filter(({ checked, equal }) => checked !== equal)
    // The wrapped coin is minted without a transfer: not all of its holders are known.
    expect(notEqual.every(({ kind }) => kind === 'counters')).toBe(true)
    expect(found.unknown.count).toBeLessThanOrEqual(2)
    expect(rows.length).toBeGreaterThan(20)
    expect(found.differing).toEqual({ count: 0, examples: [] })
    expect({ failures: found.failures, status: found.status }).toEqual({
      failures: [],
      status: 'equal',
    })
    expect(code).toBe(0)
  },
  auditTimeoutMs,
)

test(
  'every row that was falsified in ClickHouse is found, and nothing else',
  async () => {
    const lies = await plantLies(embedded.tables.store)
    expect(lies.length).toBeGreaterThanOrEqual(20)
    const { code, stdout } = await audited(await freshApi(), '--sample', '1000', '--json')
    const { status, differing, failures } = report.parse(JSON.parse(stdout))
    const texts = differing.examples.map(({ kind, path, field }) => ({
      kind,
      text: `${path} ${field}`,
    }))
    const isOf = (lie: (typeof lies)[number], one: (typeof texts)[number]) =>
      one.kind === lie.kind && lie.named.every((name) => one.text.includes(name))
    const missed = lies.filter((lie) => !texts.some((one) => isOf(lie, one)))
    expect(missed, JSON.stringify(differing.examples, null, 1)).toEqual([])
    const beside = texts.filter((one) => !lies.some((lie) => isOf(lie, one)))
    expect(beside.filter(({ kind }) => kind !== 'counters')).toEqual([])
    expect(differing.count).toBe(differing.examples.length)
    expect({ status, failures, code }).toEqual({ status: 'differs', failures: [], code: 1 })
  },
  auditTimeoutMs,
)
