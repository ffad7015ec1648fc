import { readFileSync } from 'node:fs'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'

export interface OpenConnectionsOptions {
  readonly log: Log
  readonly metrics?: Pick<Metrics, 'openConnections' | 'refusedConnections'> | undefined
  /** Bound of open connections; by default derived from the open-file limit. */
  readonly connectionsMax?: number | undefined
}

/** The part of a uWebSockets.js connection that is used here. */
interface Connection {
  close(): unknown
}

/** Of the open-file limit, for everything but clients: servers, files, health, and Node's own. */
const otherFilesMax = 512
/** By default, however many files may be open: each idle connection takes some kilobytes. */
const connectionsMaxDefault = 16_384
/** Of POSIX systems without /proc: what they commonly give a process at least. */
const openFilesMaxUnknown = 256
const lineEveryMs = 10_000

/** How many files this process may have open: Node raises the soft limit to the hard one. */
export function openFilesMax(): number {
  try {
    return openFilesOf(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return openFilesMaxUnknown
  }
}

/** @param limits as Linux prints them in /proc/PID/limits */
export function openFilesOf(limits: string): number {
  const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? []
  if (soft === undefined) return openFilesMaxUnknown
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

/** How many connections a process may be allowed at most: it needs other files, too. */
export const connectionsWithin = (openFiles: number): number =>
  openFiles - Math.min(otherFilesMax, Math.ceil(openFiles / 2))

/**
 * Open connections of one server. Above the bound, a new one is closed at once: the library would
 * accept until the process has no file left, and then try again without a pause, on a full core,
 * while it answers no new client. Idle ones cannot be closed instead: the library does not say
 * which connection a request or an end belongs to.
 */
export class OpenConnections {
  private readonly options: OpenConnectionsOptions
  private readonly connectionsMax: number
  private open = 0
  private refused = 0
  private lineAt = Number.NEGATIVE_INFINITY

  constructor(options: OpenConnectionsOptions) {
    this.options = options
    this.connectionsMax =
      options.connectionsMax ?? Math.min(connectionsMaxDefault, connectionsWithin(openFilesMax()))
    options.metrics?.openConnections.set(0)
  }

  /** Called by the library. @param change 1 when a connection was opened, -1 when it was closed */
  count(connection: Connection, change: number): void {
    this.open += change
    if (this.open > this.connectionsMax && change > 0) {
      // Calls this function again, with -1.
      connection.close()
      this.refused += 1
      this.options.metrics?.refusedConnections.inc()
      this.logRefused()
    } else this.options.metrics?.openConnections.set(this.open)
  }

  private logRefused(): void {
    const { refused, connectionsMax } = this
    if (performance.now() - this.lineAt < lineEveryMs) return
    this.lineAt = performance.now()
    this.refused = 0
    this.options.log.warn(
      { event: events.api.connectionsRefused, refused, connectionsMax, runbook: runbooks.overload },
      `refused new connections: ${connectionsMax} are open, the limit of this process`,
    )
  }
}
