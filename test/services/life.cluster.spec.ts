import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { transfersByToken } from '../../libs/tables/tables/transfers.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { readStatus } from '../api/status-reader.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { boundMs } from '../support/slowness.ts'
import { until } from '../support/until.ts'
import { blocksAlone, endAll, freshFolder, mainnet, type Running, startUp } from '../up/running.ts'
import { type OwnServices, ownServices, reasonsOf, untilReasons } from './own-services.ts'

/** On an idle machine, and starts of a process that a busy one may take instead. */
const stopping = [10_000, 6] as const
const lastBlock = '17686121'
const chainOfMainnet = '1'
const openapi = '/api/v2/openapi.json'
const pageType = 'text/html; charset=utf-8'

describe.skipIf(noCluster)('services as separate processes', () => {
  let own: OwnServices
  let ingestor: Running
  let projectors: Running[]
  let api: Running
  let all: Running[]

  function startAll(): void {
    ingestor = own.start('ingestor', { source: mainnet })
    projectors = ['ledger', 'state', 'dimensions'].map((group) => own.start('projector', { group }))
    api = own.start('api')
    all = [ingestor, ...projectors, api]
  }

  beforeAll(() => {
    own = ownServices(cluster(), ownPlace())
    startAll()
  })
  afterAll(async () => {
    endAll()
    await own.drop()
  })

  it('live and are not ready while their servers lack topics and tables', async () => {
    await untilReasons(ingestor, ['no-topics'])
    for (const service of [...projectors, api]) await untilReasons(service, ['no-tables'])
    for (const service of all) expect((await service.get('/health/live')).status).toBe(200)
    expect((await api.get('/health/ready')).status).toBe(503)
    expect((await api.get(`/api/v2/tokens/0x${'1'.repeat(40)}`)).status).toBe(503)
    expect(await metricsOf(api)).toMatch(/^foldscan_unavailable_total\{reason="starting"\} [1-9]/m)
  })

  it('say once what they wait for', async () => {
    const [ledger] = projectors
    const waits = ledger?.lines.filter(({ event }) => event === events.service.waiting) ?? []
    expect(waits[0]).toMatchObject({ reason: 'no-tables' })
    const times = waits.map(({ time }) => Date.parse(String(time)))
    for (const [at, time] of times.entries()) {
      if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeGreaterThanOrEqual(9_900)
    }
  })

  it('need the chain from the first service that migrates', async () => {
    const refused = await own.run('migrate')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('--chain-id')
    expect(await own.run('migrate', { 'chain-id': chainOfMainnet })).toMatchObject({ code: 0 })
    expect(await own.run('migrate')).toMatchObject({ code: 0, stderr: '' })
  })

  it('begin once topics and tables are there', async () => {
    await own.createTopics()
    for (const service of all) await untilReasons(service)
  })

  it('answer all ten endpoints as the embedded form does, byte for byte', async () => {
    const folder = freshFolder()
    // Only `up` imports the names that a folder of blocks comes with.
    const up = startUp({ source: blocksAlone(), 'data-dir': folder })
    await up.logged(events.up.ready)
    const paths = endpointsOf(urlsOffered(up))
    expect(paths).toHaveLength(routes.length)
    await until('the last block is indexed', async () => {
      const { headers } = await api.get(paths[0] ?? '')
      return headers.get('x-indexed-block') === lastBlock
    })
    for (const path of paths) {
      const [embedded, served] = await Promise.all([textOf(up, path), textOf(api, path)])
      expect(served, path).toBe(embedded)
    }
    up.kill('SIGTERM')
    await up.exited
    rmSync(folder, { recursive: true, force: true })
  })

  it('show the chain, the head and all tables on their status page', async () => {
    const origin = await api.origin()
    const page = await fetch(origin)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, pageType])
    const { seen, leave, ended } = await readStatus(origin)
    const shown = () => JSON.stringify(seen)
    await until('the head is shown', () => shown().includes(`"block":${lastBlock}`))
    await until('the tables are shown', () => shown().includes(transfersByToken.stored))
    expect(seen.chain).toMatchObject({ id: Number(chainOfMainnet) })
    expect(seen.tables).toMatchObject({ problem: null })
    leave()
    await ended
  })

  it('serve metrics, but not on the port of the API', async () => {
    const [ledger] = projectors
    const text = await metricsOf(ledger ?? api)
    expect(text).toContain(`foldscan_indexed_block{group="ledger"} ${lastBlock}`)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).not.toContain('foldscan_published_position')
    expect(await metricsOf(api)).toContain(`\nfoldscan_api_indexed_block ${lastBlock}\n`)
    expect(await metricsOf(ingestor)).toContain(`\nfoldscan_published_block ${lastBlock}\n`)
    const ofIngestor = await metricsOf(ingestor)
    expect(ofIngestor).toMatch(/^foldscan_build_info\{command="ingestor",version="[^"]+"\} 1$/m)
    expect(ofIngestor).toMatch(/^foldscan_volume_available_bytes [1-9]\d+$/m)
    expect(text).toMatch(/^foldscan_volume_available_bytes [1-9]\d+$/m)
    for (const path of ['/metrics', '//metrics', '/%6Detrics', '/health/live', '/health/ready']) {
      expect((await fetch((await api.origin()) + path)).status, path).toBe(404)
    }
  })

  it('answer on while an api drains, which is not ready any more, and then end', async () => {
    const draining = own.start('api', { 'drain-seconds': '10' })
    await untilReasons(draining)
    const open = await fetch(await draining.origin())
    expect(open.headers.get('connection')).not.toBe('close')
    draining.kill('SIGTERM')
    await untilReasons(draining, ['stopping'])
    const answered = await fetch((await draining.origin()) + openapi)
    expect([answered.status, answered.headers.get('connection')]).toEqual([200, 'close'])
    expect(await draining.exited).toMatchObject({ code: 0, stderr: '' })
    expect(draining.lines.at(-1)?.event).toBe(events.service.stopped)
  })

  it('stop within 10 s, with exit code 0 and nothing to complain of', async () => {
    const asked = Date.now()
    for (const service of all) service.kill('SIGTERM')
    for (const service of all) {
      expect(await service.exited).toMatchObject({ code: 0, stderr: '' })
      expect(service.lines.at(-1)?.event).toBe(events.service.stopped)
    }
    const tookMs = Date.now() - asked
    expect(tookMs).toBeLessThan(await boundMs(...stopping))
  })

  it('go on where they were', async () => {
    startAll()
    for (const service of all) await untilReasons(service)
    const [ledger] = projectors
    expect(await ledger?.logged(events.projector.started)).toMatchObject({ sequence: 12 })
    expect(await ingestor.logged(events.ingestor.started)).toMatchObject({ sequence: 12 })
  })

  it('refuse a second one on the same volume, naming the first', async () => {
    const { code, reason } = await own.run('projector', { group: 'state' })
    expect(code).toBe(1)
    expect(reason).toMatch(/is used by another Foldscan, process \d+/)
  })

  it('stay ready beside a second one on a volume of its own', async () => {
    const folder = freshFolder()
    const second = own.start('projector', { group: 'ledger', 'data-dir': folder })
    await second.logged(events.projector.started)
    expect((await reasonsOf(second)).filter((reason) => reason !== 'behind')).toEqual([])
    second.kill('SIGTERM')
    expect(await second.exited).toMatchObject({ code: 0, stderr: '' })
    rmSync(folder, { recursive: true, force: true })
  })
})

const urlsOffered = (up: Running): string[] =>
  up.lines.flatMap(({ event, url }) => (event === events.up.urls ? [z.string().parse(url)] : []))

/** All ten endpoints of the subjects in `urls`: `up` offers only the pages that show something. */
function endpointsOf(urls: readonly string[]): string[] {
  const subject = (kind: string): string => {
    const found = urls.join(' ').match(new RegExp(`/${kind}/0x[0-9a-fA-F]+`))?.[0]
    if (found === undefined) throw new Error(`no URL of ${urls} has ${kind}`)
    return `/api/v2${found}`
  }
  const token = subject('tokens')
  return [
    ...['tokens', 'transactions', 'token-balances', 'nft', 'logs'].map(
      (list) => `${subject('addresses')}/${list}`,
    ),
    ...[token, `${token}/transfers`, `${token}/holders`],
    ...['token-transfers', 'summary'].map((list) => `${subject('transactions')}/${list}`),
  ]
}

const metricsOf = async (service: Running): Promise<string> =>
  (await fetch(`${await service.health()}/metrics`)).text()

const textOf = async (service: Running, path: string): Promise<string> =>
  (await fetch((await service.origin()) + path)).text()
