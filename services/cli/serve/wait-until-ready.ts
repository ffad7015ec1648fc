import { SourceError, type SourceErrorKind } from '../../../libs/ports/chain-source.ts'
import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import { type Store, StoreUnavailable } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { type Runbook, runbooks } from '../../../libs/signals/runbooks.ts'
import type { Reason } from './health.ts'
import type { ServiceContext } from './serve.ts'

/** A prerequisite is not met yet. `reason` is a stable identifier. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
  readonly reason: string

  constructor(reason: string, sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

const pauseMinMs = 250
const pauseMaxMs = 2_000
/** Minimum interval of log lines with the same reason. */
const repeatedMs = 10_000

/**
 * Retries while the failure may be transient: a server is unavailable, or a prerequisite is not met
 * yet. Reports the reason in the log and in /health/ready.
 * @throws errors that are not transient, and the abort reason
 */
export async function waitUntilReady<T>(
  { log, health, signal }: Pick<ServiceContext, 'log' | 'health' | 'signal'>,
  attempt: () => Promise<T>,
): Promise<T> {
  // Not p-retry, which drops what an attempt has opened if the signal aborts meanwhile.
  let pauseMs = pauseMinMs
  let logged = { reason: '', at: 0 }
  for (;;) {
    signal.throwIfAborted()
    try {
      const there = await attempt()
      health.setWaiting(null)
      return there
    } catch (error) {
      const awaited = transientReason(error)
      if (awaited === null) throw error
      health.setWaiting(awaited)
      const { reason, sentence } = awaited
      if (logged.reason !== reason || Date.now() - logged.at >= repeatedMs) {
        log.warn(
          { event: events.service.waiting, reason, runbook: runbookOf[reason] },
          `waiting: ${sentence}`,
        )
        logged = { reason, at: Date.now() }
      }
    }
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
  }
}

/** By reason. */
const runbookOf: Readonly<Record<string, Runbook>> = {
  'clickhouse-unavailable': runbooks.clickhouseUnavailable,
  'no-tables': runbooks.clickhouseUnavailable,
  'old-tables': runbooks.clickhouseUnavailable,
  'version-behind': runbooks.versionBehind,
  'kafka-unavailable': runbooks.kafkaUnavailable,
  'no-topics': runbooks.kafkaUnavailable,
  'node-unavailable': runbooks.nodeUnavailable,
}

const passingKinds: readonly SourceErrorKind[] = [
  'unreachable',
  'timed-out',
  'rate-limited',
  'unavailable',
]

/** The reason to wait for; null if the error is not transient. */
export function transientReason(error: unknown): Reason | null {
  if (error instanceof NotReady) return { reason: error.reason, sentence: error.message }
  if (error instanceof StoreUnavailable)
    return { reason: 'clickhouse-unavailable', sentence: error.message }
  if (error instanceof LogUnavailable)
    return { reason: 'kafka-unavailable', sentence: error.message }
  if (error instanceof SourceError && passingKinds.includes(error.kind)) {
    return { reason: 'node-unavailable', sentence: error.message }
  }
  return null
}

/** Time from the stop request until pending calls are abandoned. */
const graceMs = 2_000

/**
 * A shutdown must not wait for unavailable servers. An abandoned call may still have succeeded: the
 * next start finds out, as after a kill.
 */
class Abortable {
  private readonly waiting = new Set<() => void>()
  private isOver = false

  constructor(signal: AbortSignal) {
    const over = () => {
      this.isOver = true
      for (const giveUp of this.waiting) giveUp()
      this.waiting.clear()
    }
    signal.addEventListener('abort', () => void setTimeout(over, graceMs), { once: true })
  }

  /** The result, or the error once the time is over. */
  unlessOver<T>(answer: Promise<T>, error: (sentence: string) => Error): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(error('cancelled, because the process stops'))
      if (this.isOver) giveUp()
      this.waiting.add(giveUp)
      answer.then(resolve, reject).finally(() => this.waiting.delete(giveUp))
    })
  }
}

/** The log; pending calls fail with LogUnavailable some time after the signal has aborted. */
export function abortableLog(eventLog: EventLog, signal: AbortSignal): EventLog {
  const leaving = new Abortable(signal)
  const left = <T>(answer: Promise<T>) =>
    leaving.unlessOver(answer, (sentence) => new LogUnavailable(sentence))
  return {
    append: (topic, messages) => left(eventLog.append(topic, messages)),
    read: (topic, offset, limit) => left(eventLog.read(topic, offset, limit)),
    begin: (topic) => left(eventLog.begin(topic)),
    end: (topic) => left(eventLog.end(topic)),
    waitBeyond: (topic, offset, until) => left(eventLog.waitBeyond(topic, offset, until)),
    close: () => eventLog.close(),
  }
}

/** The store; pending calls fail with StoreUnavailable some time after the signal has aborted. */
export function abortableStore(store: Store, signal: AbortSignal): Store {
  const leaving = new Abortable(signal)
  const left = <T>(answer: Promise<T>) =>
    leaving.unlessOver(answer, (sentence) => new StoreUnavailable(sentence))
  return {
    insert: (table, columns, rows) => left(store.insert(table, columns, rows)),
    query: (sql, parameters, options) => left(store.query(sql, parameters, options)),
    execute: (sql) => left(store.execute(sql)),
    ping: (signal) => left(store.ping(signal)),
    close: () => store.close(),
  }
}
