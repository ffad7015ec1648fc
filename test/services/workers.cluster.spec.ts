import { readFileSync } from 'node:fs'
import { get as request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { until } from '../support/until.ts'
import { endAll, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, untilReasons } from './own-services.ts'

const two = { workers: '2' }
const clients = 4

describe.skipIf(noCluster)('an api with two workers', () => {
  let own: OwnServices
  let api: Running

  const startReady = async (flags: Record<string, string> = {}) => {
    const started = own.start('api', { ...two, ...flags })
    await untilReasons(started)
    return started
  }

  beforeAll(async () => {
    own = ownServices(cluster(), ownPlace())
    await own.createTopics()
    api = own.start('api', two)
  })
  afterAll(async () => {
    endAll()
    await own?.drop()
  })

  it('answers 503 and is not ready while no worker can', async () => {
    await untilReasons(api, ['no-tables'])
    expect((await api.get('/docs')).status).toBe(503)
    expect((await api.get('/health/live')).status).toBe(200)
  })

  it('becomes ready with its workers', async () => {
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    await untilReasons(api)
    expect(await readyOf(api)).toBe(2)
  })

  it('answers by both on one port, and counts every request once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => statusOf(await api.origin())),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const counts = await countsOfRequests(api)
    // Those that the supervisor answered before are counted, too.
    expect([...counts.keys()].sort()).toEqual(['1', '2', 'supervisor'])
    expect(counts.get('supervisor')).toBeGreaterThan(0)
    counts.delete('supervisor')
    expect(Math.min(...counts.values())).toBeGreaterThan(0)
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(200)
  })

  it('exports the metrics of each process once, and its own', async () => {
    const text = await metricsOf(api)
    for (const worker of ['1', '2', 'supervisor']) {
      expect(text).toMatch(
        new RegExp(`^process_resident_memory_bytes{worker="${worker}"} \\d`, 'm'),
      )
    }
    expect(text).toContain('foldscan_workers{state="ready",worker="supervisor"} 2\n')
    expect(text.match(/^# TYPE foldscan_requests_total /gm)).toHaveLength(1)
  })

  it('numbers the lines of its workers', () => {
    const numbers = api.lines.flatMap(({ event, worker }) =>
      event === events.service.running ? [worker ?? null] : [],
    )
    expect(numbers.toSorted()).toEqual([1, 2, null])
  })

  it('lets no other api on its port, be it with workers or without', async () => {
    const { port } = new URL(await api.origin())
    for (const flags of [{}, two]) {
      const { code, reason } = await own.run('api', { port, ...flags })
      expect(code).toBe(1)
      expect(reason).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use. --port`)
    }
  })

  it('replaces a worker that is killed, while the other one answers', async () => {
    const [killed = 0] = pidsOf(api)
    const load = startLoad(await api.origin())
    await until('both are loaded', () => load.answers.length > 100)
    process.kill(killed, 'SIGKILL')
    await until('it is replaced', async () => (await metricsOf(api)).includes(restarts('ended', 1)))
    await until('both are ready', async () => (await readyOf(api)) === 2)
    const since = load.answers.length
    await until('both are loaded again', () => load.answers.length > since + 100)
    const { answers, failures } = await load.stop()
    expect(new Set(answers)).toEqual(new Set([200]))
    // What the killed one was answering, and a connection that came while the kernel closed its
    // sockets, the listening one last: each client has one request at a time.
    expect(failures.length).toBeLessThanOrEqual(2 * clients)
    expect(pidsOf(api)).toHaveLength(3)
    expect(api.lines.find(({ event }) => event === events.workers.ended)).toMatchObject({
      worker: 1,
      how: 'signal SIGKILL',
    })
  })

  it('replaces a worker that does not answer any more', async () => {
    const stopped = pidsOf(api).at(-1) ?? 0
    process.kill(stopped, 'SIGSTOP')
    await until('it is killed', () => !lives(stopped))
    await until('both are ready', async () => (await readyOf(api)) === 2)
    expect(await metricsOf(api)).toContain(restarts('unresponsive', 1))
  })

  it('drains under load without a failed answer, and then ends', async () => {
    const draining = await startReady({ 'drain-seconds': '3' })
    const load = startLoad(await draining.origin())
    await until('both are loaded', () => load.answers.length > 100)
    draining.kill('SIGTERM')
    await untilReasons(draining, ['stopping'])
    // As a load balancer that notices late.
    const since = load.answers.length
    await until('both are loaded while they drain', () => load.answers.length > since + 100)
    const { answers, failures } = await load.stop()
    expect([new Set(answers), failures]).toEqual([new Set([200]), []])
    const counts = await countsOfRequests(draining)
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(answers.length)
    expect(await draining.exited).toMatchObject({ code: 0, stderr: '' })
    expect(pidsOf(draining).filter(lives)).toEqual([])
  })

  it('ends at once if no worker can begin, and its line says why', async () => {
    const { code, reason } = await own.run('api', { ...two, 'chain-id': '2' })
    expect(code).toBe(1)
    expect(reason).toMatch(/chain/)
  })

  it('leaves no worker behind when its supervisor is killed', async () => {
    const pids = pidsOf(api)
    api.kill('SIGKILL')
    await api.exited
    await until('the workers have ended', () => !pids.some(lives))
    const again = own.start('api', { ...two, port: new URL(await api.origin()).port })
    await untilReasons(again)
  })
})

const restarts = (reason: string, count: number) =>
  `foldscan_worker_restarts_total{reason="${reason}",worker="supervisor"} ${count}\n`

const metricsOf = async (service: Running): Promise<string> =>
  (await fetch(`${await service.health()}/metrics`)).text()

async function readyOf(service: Running): Promise<number> {
  return Number((await metricsOf(service)).match(/^foldscan_workers{state="ready".*} (\d+)$/m)?.[1])
}

/** By worker. */
async function countsOfRequests(service: Running): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const [, worker = '', count] of (await metricsOf(service)).matchAll(
    /^foldscan_requests_total{.*worker="(\w+)"} (\d+)$/gm,
  )) {
    counts.set(worker, (counts.get(worker) ?? 0) + Number(count))
  }
  return counts
}

/** Of each worker that was started, in order. */
const pidsOf = (service: Running): number[] =>
  service.lines.flatMap(({ event, pid }) => (event === events.workers.started ? [Number(pid)] : []))

/** A process that has ended may wait for its parent to read that. */
function lives(pid: number): boolean {
  try {
    const [state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}

/** A request on a connection of its own, so that any worker may get it. */
const statusOf = (origin: string) =>
  new Promise<number>((resolve, reject) => {
    request(`${origin}/docs`, { agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    }).on('error', reject)
  })

/** Each client sends its next request after its last one is answered, or has failed. */
function startLoad(origin: string) {
  const answers: number[] = []
  const failures: unknown[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const status = await statusOf(origin).catch((error: unknown) => void failures.push(error))
      if (typeof status === 'number') answers.push(status)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    answers,
    async stop() {
      isOver = true
      await running
      return { answers, failures }
    },
  }
}
