import { uwsServer } from '../../../libs/adapters/uws/uws-server.ts'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import type { HttpServer } from '../../../libs/ports/http.ts'
import { QuorumLost, StoreUnavailable } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Exporter } from '../../../libs/signals/metric-row.ts'
import { type Metrics, startMetrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { version } from '../../../libs/signals/version.ts'
import { cannotListen, type ListeningPlace } from '../process/check-start.ts'
import { type Components, runUntilStopped } from '../process/run-until-stopped.ts'
import { type Exposition, Health, healthHandler } from './health.ts'

/** Of probes and scrapers; within what the limit of the API's connections leaves free. */
const healthConnectionsMax = 32
/** For all components together: supervisors commonly send SIGKILL after 10 s. */
const stopTimeoutMs = 8_000

/** Shared context of a service. */
export interface ServiceContext {
  readonly log: Log
  readonly metrics: Metrics
  readonly health: Health
  readonly components: Components
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
}

interface ServiceOptions {
  readonly log: Log
  /** Time after a stop signal in which it reports not ready and still works. */
  readonly drainMs?: number
}

/**
 * Runs one service until it is stopped.
 * @throws when a component fails, or does not stop in time; all others are stopped then.
 */
export async function serve(
  service: Exclude<Exporter, 'up'>,
  { log, drainMs = 0 }: ServiceOptions,
  start: (context: ServiceContext) => Promise<void>,
): Promise<undefined> {
  const metrics = startMetrics(service)
  metrics.watchProcess()
  metrics.buildInfo.set({ command: service, version }, 1)
  const health = new Health()
  const ending = new AbortController()
  log.info({ event: events.service.starting }, `${service} is starting`)
  const life = runUntilStopped({
    log,
    stopTimeoutMs,
    drainMs,
    async start(components) {
      await start({ log, metrics, health, components, signal: ending.signal })
      health.started()
      log.info({ event: events.service.running }, `${service} is running`)
      return 'runs'
    },
    stopping() {
      health.stopping()
      ending.abort()
      log.info({ event: events.service.stopping }, `${service} is stopping`)
    },
  })
  await life.catch((error: unknown) => {
    throw nameFailedServer(error)
  })
  log.info({ event: events.service.stopped }, `${service} has stopped`)
}

/** Serves health and metrics from now on, until all other components have stopped. */
export async function serveHealth(
  { health, metrics, log, components }: ServiceContext,
  { healthHost: host, healthPort }: SettingsOf<'ingestor' | 'enricher' | 'projector' | 'api'>,
  exposition: Exposition = metrics.registry,
): Promise<void> {
  const server = await listen({
    flags: 'health-host and health-port',
    connectionsMax: healthConnectionsMax,
    host,
    port: healthPort,
    log,
    handler: healthHandler(health, { registry: exposition }),
  })
  components.add({ name: 'health', stop: () => server.close() })
  const { port } = server
  log.info({ event: events.service.healthListening, host, port }, 'serving health and metrics')
}

/** Names the server that caused the failure; other errors are returned unchanged. */
export function nameFailedServer(error: unknown): unknown {
  if (error instanceof StoreUnavailable) {
    const page = error instanceof QuorumLost ? see.quorum : see.store
    return new StartupError(`ClickHouse was unavailable for too long: ${error.message}. ${page}`)
  }
  if (error instanceof LogUnavailable) {
    return new StartupError(`Kafka was unavailable for too long: ${error.message}. ${see.log}`)
  }
  return error
}

const see = {
  store: `The next start continues. See ${runbooks.clickhouseUnavailable}.`,
  quorum: `The next start continues. See ${runbooks.quorumLost}.`,
  log: `The next start continues. See ${runbooks.kafkaUnavailable}.`,
}

type ServerOptions = Parameters<typeof uwsServer>[0]

/** Where it listens, and the flags that choose another place. */
interface ListenOptions extends ServerOptions {
  readonly flags: ListeningPlace['flags']
}

/** Serves a handler. @throws StartupError with the flags to change where it cannot listen there */
export async function listen({ flags, ...options }: ListenOptions): Promise<HttpServer> {
  try {
    return await uwsServer(options)
  } catch (error) {
    throw cannotListen(error instanceof Error ? error.message : String(error), flags)
  }
}
