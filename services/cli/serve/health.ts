import pTimeout from 'p-timeout'
import type { Availability } from '../../../libs/adapters/clickhouse/availability.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import type { IngestorStatus } from '../../ingestor/running-ingestor.ts'
import type { Projector } from '../../projector/projector.ts'

/** Why a process is not ready. `reason` is a short stable word. */
export interface Reason {
  readonly reason: string
  readonly sentence: string
}

/** Null where nothing is wrong. */
type Check = () => Promise<Reason | null> | Reason | null

const starting: Reason = { reason: 'starting', sentence: 'it is still starting' }
const ending: Reason = { reason: 'stopping', sentence: 'it is stopping' }

/** Whether a process can do its work, and if not, why. */
export class Health {
  private readonly checks: Check[] = []
  private stage: 'starting' | 'runs' | 'stopping' = 'starting'
  private awaited: Reason | null = null

  add(check: Check): void {
    this.checks.push(check)
  }

  /** What the process waits for at startup; null once it has it. */
  setWaiting(awaited: Reason | null): void {
    this.awaited = awaited
  }

  started(): void {
    this.stage = 'runs'
  }

  stopping(): void {
    this.stage = 'stopping'
  }

  /** None where it is ready; each word once, though several checks may find it. */
  async reasons(): Promise<readonly Reason[]> {
    if (this.stage === 'stopping') return [ending]
    if (this.stage === 'starting') return [this.awaited ?? starting]
    const byWord = new Map<string, Reason>()
    for (const found of await Promise.all(this.checks.map((check) => check()))) {
      if (found !== null && !byWord.has(found.reason)) byWord.set(found.reason, found)
    }
    return [...byWord.values()]
  }
}

/** What /metrics answers, in the text format of Prometheus. */
export interface Exposition {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Those of one process are its registry's. */
interface Exported {
  readonly registry: Exposition
}

/** Methods of all that is answered here. */
const allow = 'GET, HEAD'

/**
 * Routes for supervisors and Prometheus: /health/live, /health/ready and /metrics. Null for any
 * other path, including other spellings of these, so that a proxy rule that hides them hides all of
 * them. Without CORS, so that no web page can read them through a visitor's browser.
 */
export function healthRoutes(
  health: Health,
  metrics: Exported,
): (request: Pick<HttpRequest, 'path' | 'method'>) => Promise<HttpResponse> | null {
  const answers = new Map<string, () => Promise<HttpResponse>>([
    ['/health/live', async () => json(200, { status: 'live' })],
    ['/health/ready', () => readiness(health)],
    ['/metrics', () => exposition(metrics)],
  ])
  return ({ path, method }) => {
    const answer = answers.get(path)
    if (answer === undefined) return null
    return method === 'GET' || method === 'HEAD' ? answer() : Promise.resolve(refusal)
  }
}

/** The handler of a listener that serves health and metrics alone. */
export const healthHandler = (health: Health, metrics: Exported): HttpHandler =>
  withHealth(health, metrics, async () => json(404, { status: 'not found' }))

/** The handler of a port that serves health and metrics, and anything else by `handler`. */
export function withHealth(health: Health, metrics: Exported, handler: HttpHandler): HttpHandler {
  const answers = healthRoutes(health, metrics)
  return (request) => answers(request) ?? handler(request)
}

async function readiness(health: Health): Promise<HttpResponse> {
  const reasons = await health.reasons()
  if (reasons.length === 0) return json(200, { status: 'ready' })
  return json(503, { status: 'not ready', reasons })
}

async function exposition({ registry }: Exported): Promise<HttpResponse> {
  const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
  return { status: 200, headers, body: Buffer.from(await registry.metrics()) }
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: Buffer.from(JSON.stringify(body)),
})

const { status, headers, body } = json(405, { status: 'method not allowed' })
const refusal: HttpResponse = { status, headers: { ...headers, allow }, body }

/** Time limit of one health query to a server, and lifetime of its result. */
const askTimeoutMs = 2_000

/** Fetches an offset from the brokers. */
export const kafkaCheck = (eventLog: EventLog, topic: string): Check =>
  cachedCheck('kafka-unavailable', () => eventLog.end(topic))

/** Known from queries, inserts and pings, which are sent anyway. */
export const clickhouseCheck =
  (availability: Availability): Check =>
  () => {
    const { error } = availability
    return error === null ? null : { reason: 'clickhouse-unavailable', sentence: error.message }
  }

/** One query at a time; its result is cached, however often health is requested. */
export function cachedCheck(reason: string, question: () => Promise<unknown>): Check {
  let last: { at: number; outcome: Promise<Reason | null> } | null = null
  return () => {
    if (last === null || Date.now() - last.at > askTimeoutMs) {
      last = { at: Date.now(), outcome: outcomeOf(reason, question) }
    }
    return last.outcome
  }
}

async function outcomeOf(reason: string, question: () => Promise<unknown>): Promise<Reason | null> {
  const message = `no answer within ${askTimeoutMs} ms`
  try {
    await pTimeout(question(), { milliseconds: askTimeoutMs, message })
    return null
  } catch (error) {
    return { reason, sentence: error instanceof Error ? error.message : String(error) }
  }
}

/** Why an ingestor makes no progress: the log is unavailable, or the node fails. */
export const ingestorCheck =
  (ingestor: { readonly status: () => Pick<IngestorStatus, 'trouble'> }): Check =>
  () => {
    const { trouble } = ingestor.status()
    if (trouble === null) return null
    const { kind, sentence } = trouble
    if (kind === 'log-unavailable') {
      return { reason: 'kafka-unavailable', sentence: `the log is unavailable: ${sentence}` }
    }
    return { reason: kind === 'block-refused' ? kind : 'node-unavailable', sentence }
  }

/** Messages behind the log's end from which a group counts as catching up. */
const behindMax = 64

/** Whether a group is stuck or behind. */
export const groupCheck =
  (projector: Pick<Projector, 'status'>): Check =>
  () => {
    const { group, stuck, behind, position } = projector.status()
    if (stuck !== null) {
      const sentence =
        `${group} waits for a valid message ${stuck.sequence}: the one at offset ` +
        `${stuck.offset} is ${stuck.reason} (${stuck.detail})`
      return { reason: 'stuck', sentence }
    }
    if (behind <= behindMax) return null
    return { reason: 'behind', sentence: `${group} is at ${position}, ${behind} messages behind` }
  }
