import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { Store } from '../../libs/ports/store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { readRows } from '../../libs/tables/declare/read-rows.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { startApi } from '../../services/api/api.ts'
import { AuditFigures } from '../../services/cli/auditing/audit-figures.ts'
import { startComponents } from '../../services/cli/process/run-until-stopped.ts'
import { startAuditing } from '../../services/cli/start-auditing.ts'
import { startDemoChain } from '../../services/demo-chain/demo-chain.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { readStatus } from '../api/status-reader.ts'
import { startEmbedded } from '../oracle/embedded-services.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { plantLies } from '../support/plant-lies.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, startCommand } from './running.ts'

const audit = z.object({
  ...{ at: z.number().nullable(), checked: z.number(), equal: z.number() },
  ...{ differing: z.number(), unknown: z.number() },
  rows: z.array(z.object({ kind: z.string(), checked: z.number(), differing: z.number() })),
  differences: z.array(
    z.object({
      ...{ path: z.string(), field: z.string(), block: z.number() },
      ...{ shown: z.string().nullable(), told: z.string().nullable() },
    }),
  ),
})

const timeoutMs = 120_000
const ending: (() => Promise<unknown>)[] = []
afterAll(async () => {
  endAll()
  for (const end of ending.reverse()) await end()
})

/** The section of a process's status, as it changes. */
async function watched(origin: string) {
  const reader = await readStatus(origin)
  ending.push(async () => reader.leave())
  const status = () => audit.nullable().optional().parse(reader.seen.audit)
  return { status }
}

/** NaN where it is absent. */
const gaugeIn = (text: string, name: string): number => {
  const [, value = 'NaN'] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? []
  return Number(value)
}

/** As a client gets them. */
async function pagesOfTokens(origin: string, store: Store): Promise<readonly unknown[]> {
  const sql = `SELECT DISTINCT lower(hex(token)) AS one FROM ${tokenState.stored} ORDER BY one`
  const tokens = await readRows(store, { sql }, (source) => source.text())
  const pages: unknown[] = []
  for (const token of tokens) {
    pages.push(await (await fetch(`${origin}/api/v2/tokens/0x${token}`)).json())
  }
  return pages
}

test('up --audit shows a round on its status page and in its metrics', async () => {
  const flags = { port: '0', 'data-dir': freshFolder(), 'demo-backlog-transactions': '60' }
  const settings = { FOLDSCAN_AUDIT: 'true', FOLDSCAN_AUDIT_CALLS_PER_SECOND: '10000' }
  const up = startCommand('up', flags, settings)
  const origin = await up.origin()
  const { status } = await watched(origin)
  const hasHolders = () => status()?.rows.some(({ kind }) => kind === 'holders') ?? false
  await until('a round with holders has ended', hasHolders, timeoutMs)
  const shown = status()
  expect(shown).toMatchObject({ differing: 0, differences: [] })
  expect(shown?.checked).toBeGreaterThan(100)
  const metrics = await (await fetch(`${origin}/metrics`)).text()
  expect(gaugeIn(metrics, 'foldscan_audit_differing')).toBe(0)
  expect(gaugeIn(metrics, 'foldscan_audit_time_seconds')).toBeGreaterThan(1_700_000_000)
  expect(metrics).toMatch(/foldscan_audited_values_total\{kind="holders",outcome="equal"\} [1-9]/)
  up.kill('SIGTERM')
  expect(await up.exited).toMatchObject({ code: 0 })
  const bad = up.lines.filter(({ level }) => level !== 'info')
  expect(bad).toEqual([])
}, 300_000)

test('what was falsified in ClickHouse is found, while clients get the page from a cache', async () => {
  const quiet = { info: () => {}, error: () => {} }
  const chain = await startDemoChain({
    ...{ seed: 20_261_130, backlogTransactions: 120, blockIntervalMs: null },
    ...{ genesisTime: 1_700_000_000, log: quiet },
  })
  ending.push(() => chain.stop())
  const { chainId } = chain
  const source = await rpcSource({ url: chain.url })
  ending.push(() => source.close())
  const embedded = await startEmbedded(chainId)
  ending.push(() => embedded.stop())
  const { eventLog, tables } = embedded
  const ingestor = await startInMemory({ source, eventLog })
  ending.push(() => ingestor.stop())
  const { number } = chain.head()
  await until('the last block', async () => ingestor.status().block === number, timeoutMs)
  const { accepted } = await chainInLog(eventLog)
  await embedded.reached(accepted.at(-1)?.sequence ?? 0, number)

  const metrics = startMetrics('api')
  const figures = new AuditFigures(metrics)
  const of = { eventLog, chainId, log: silentLog, metrics }
  const api = await startApi({ ...of, store: tables.store, audit: () => figures.shown })
  ending.push(() => api.stop())
  const server = await uwsServer({ port: 0, log: silentLog, handler: api.handler, metrics })
  ending.push(() => server.close())
  const origin = `http://127.0.0.1:${server.port}`
  const { status } = await watched(origin)
  const components = startComponents()
  ending.push(() => components.stop(timeoutMs))
  startAuditing({
    ...{ url: chain.url, chainId, api, figures, log: silentLog, components, pauseMs: 10 },
    settings: { auditCallsPerSecond: 10_000, coinEmitters: null },
  })
  await until('the first round has ended', () => (status()?.at ?? null) !== null, timeoutMs)
  expect(status()).toMatchObject({ differing: 0, differences: [] })

  const pages = await pagesOfTokens(origin, tables.store)
  const lies = await plantLies(tables.store)
  expect(await pagesOfTokens(origin, tables.store)).toEqual(pages)
  const counted = (kind: string) => async () => {
    const text = await metrics.registry.metrics()
    const name = `foldscan_audited_values_total\\{kind="${kind}",outcome="differing"\\}`
    return gaugeIn(text, name) > 0 && gaugeIn(text, 'foldscan_audit_differing') > 0
  }
  await until('words that were falsified are counted', counted('words'), timeoutMs)
  await until('holders that were falsified are counted', counted('holders'), timeoutMs)
  await until('a difference is shown', () => (status()?.differing ?? 0) > 0, timeoutMs)
  const [first] = status()?.differences ?? []
  const text = `${first?.path} ${first?.field}`
  const isNamed = lies.some(({ named }) => named.every((name) => text.includes(name)))
  expect(isNamed, JSON.stringify(first)).toBe(true)
  expect(first?.shown).not.toBe(first?.told)
}, 300_000)
