import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import type { IngestorStatus } from '../../ingestor/running-ingestor.ts'
import type { ProjectorStatus } from '../../projector/loop/projector-parts.ts'
import {
  cachedCheck,
  groupCheck,
  Health,
  healthHandler,
  healthRoutes,
  ingestorCheck,
} from './health.ts'

const away = { reason: 'kafka-unavailable', sentence: 'connect ECONNREFUSED' }

function begun(): Health {
  const health = new Health()
  health.started()
  return health
}

async function ready(health: Health) {
  const answer = await healthRoutes(health, metrics)({ method: 'GET', path: '/health/ready' })
  return { status: answer?.status, body: JSON.parse(answer?.body.toString() ?? 'null') }
}

const metrics = startMetrics()

describe('a process', () => {
  it('is not ready before it has begun', async () => {
    expect(await ready(new Health())).toMatchObject({
      status: 503,
      body: { status: 'not ready', reasons: [{ reason: 'starting' }] },
    })
  })

  it('is ready while no check finds anything', async () => {
    const health = begun()
    health.add(() => null)
    expect(await ready(health)).toEqual({ status: 200, body: { status: 'ready' } })
  })

  it('is not ready for every reason that a check finds', async () => {
    const health = begun()
    health.add(() => away)
    health.add(async () => ({ reason: 'stuck', sentence: 'it waits' }))
    const { status, body } = await ready(health)
    expect(status).toBe(503)
    expect(body.reasons).toEqual([away, { reason: 'stuck', sentence: 'it waits' }])
  })

  it('reports a reason once, though two checks return it', async () => {
    const health = begun()
    health.add(() => away)
    health.add(() => ({ reason: away.reason, sentence: 'in other words' }))
    expect(await health.reasons()).toEqual([away])
  })

  it('is not ready once it was asked to stop', async () => {
    const health = begun()
    health.stopping()
    expect(await ready(health)).toMatchObject({ body: { reasons: [{ reason: 'stopping' }] } })
  })

  it('lives whatever it waits for', async () => {
    const asking = { method: 'GET', path: '/health/live' }
    expect((await healthRoutes(new Health(), metrics)(asking))?.status).toBe(200)
  })

  it.each([
    '//metrics',
    '/metrics/',
    '/%6Detrics',
    '/Metrics',
    '/health%2Flive',
    '/health/live/',
    '/health',
    '/api/v2/tokens',
    '/',
    '/__proto__',
  ])('answers nothing under %s, whatever it stands for', async (path) => {
    const answers = healthRoutes(begun(), metrics)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      expect(answers({ method, path })).toBeNull()
    }
    const request = { method: 'GET', path, query: '', headers: {}, client: '127.0.0.1' }
    expect((await healthHandler(begun(), metrics)(request)).status).toBe(404)
  })

  it.each(['/health/live', '/health/ready', '/metrics'])(
    'answers %s to GET and HEAD alone, and never lets a web page read it',
    async (path) => {
      const answers = healthRoutes(begun(), metrics)
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'get']) {
        const answer = await answers({ method, path })
        const isTaken = method === 'GET' || method === 'HEAD'
        expect(answer?.status).toBe(isTaken ? 200 : 405)
        expect(answer?.headers.allow).toBe(isTaken ? undefined : 'GET, HEAD')
        const names = Object.keys(answer?.headers ?? {})
        expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    },
  )
})

describe('asking a server how it is', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is done once in 2 s, however often health is asked', async () => {
    let questions = 0
    const check = cachedCheck('kafka-unavailable', async () => ++questions)
    expect([await check(), await check()]).toEqual([null, null])
    expect(questions).toBe(1)
    await vi.advanceTimersByTimeAsync(2_001)
    await check()
    expect(questions).toBe(2)
  })

  it('is over after 2 s without an answer', async () => {
    const outcome = cachedCheck('kafka-unavailable', () => new Promise(() => {}))()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await outcome).toEqual({
      reason: 'kafka-unavailable',
      sentence: 'no answer within 2000 ms',
    })
  })

  it('reports the error', async () => {
    const check = cachedCheck('kafka-unavailable', () =>
      Promise.reject(new Error('connect ECONNREFUSED')),
    )
    expect(await check()).toEqual(away)
  })
})

describe('an ingestor', () => {
  const reasonOf = (trouble: IngestorStatus['trouble']) =>
    ingestorCheck({ status: () => ({ trouble }) })()

  it('is well while nothing keeps it', () => {
    expect(reasonOf(null)).toBeNull()
  })

  it('reports whether the node or Kafka is unavailable', () => {
    expect(reasonOf({ kind: 'unreachable', sentence: 'no node at 127.0.0.1:1' })).toEqual({
      reason: 'node-unavailable',
      sentence: 'no node at 127.0.0.1:1',
    })
    expect(reasonOf({ kind: 'log-unavailable', sentence: 'no broker answers' })).toEqual({
      reason: 'kafka-unavailable',
      sentence: 'the log is unavailable: no broker answers',
    })
  })

  it('reports a block whose answers contradict themselves again and again', () => {
    const trouble = { kind: 'block-refused', sentence: 'receipts are 0 for 1' } as const
    expect(reasonOf(trouble)).toEqual({ reason: 'block-refused', sentence: trouble.sentence })
  })
})

describe('a group', () => {
  const standing: ProjectorStatus = {
    group: 'state',
    position: 12,
    block: 7,
    behind: 0,
    isSilent: false,
    stuck: null,
  }
  const reasonOf = (status: Partial<ProjectorStatus>) =>
    groupCheck({ status: () => ({ ...standing, ...status }) })()

  it('is well at the head, and a few messages behind it', () => {
    expect(reasonOf({})).toBeNull()
    expect(reasonOf({ behind: 64 })).toBeNull()
  })

  it('is behind when it has many messages to fold', () => {
    expect(reasonOf({ behind: 65 })).toEqual({
      reason: 'behind',
      sentence: 'state is at 12, 65 messages behind',
    })
  })

  it('is stuck if it waits for a valid message, and reports its position', () => {
    const stuck = { reason: 'invalid', sequence: 13, offset: 40, detail: 'not JSON' } as const
    expect(reasonOf({ stuck, behind: 100 })).toEqual({
      reason: 'stuck',
      sentence: 'state waits for a valid message 13: the one at offset 40 is invalid (not JSON)',
    })
  })
})
