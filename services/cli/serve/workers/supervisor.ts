import type { HttpServer } from '../../../../libs/ports/http.ts'
import type { SettingsOf } from '../../../../libs/settings/settings.ts'
import { events } from '../../../../libs/signals/events.ts'
import { countedNotReady } from '../../../api/http/not-ready.ts'
import { allowedConnections } from '../connections-max.ts'
import { listen, type ServiceContext, serveHealth } from '../serve.ts'
import { mergeMetrics } from './merge-metrics.ts'
import { forkWorker } from './worker-process.ts'
import { Workers } from './workers.ts'

/**
 * Starts the workers of `foldscan api --workers N`, which listen on one port together. Resolves
 * when all of them are ready. Later it is ready while any of them is: the others do not listen, so
 * that all connections reach those that are, and a load balancer need not turn away from them.
 */
export async function supervise(
  context: ServiceContext,
  settings: SettingsOf<'api'>,
): Promise<void> {
  const { log, metrics, health, components, signal } = context
  metrics.registry.setDefaultLabels({ worker: 'supervisor' })
  const place = await SharedPort.claim(context, settings)
  components.add({ name: 'shared port', stop: () => place.stop(), failed: place.failed })
  const { host } = settings
  log.info({ event: events.api.listening, host, port: place.port }, 'serving the API')
  let allReady: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    allReady = resolve
  })
  const { workers: count } = settings
  const workers = new Workers({
    count,
    fork: (number) => forkWorker({ number, count, port: place.port }),
    log,
    metrics,
    onReadiness() {
      health.setWaiting(workers.reason)
      place.answerUnavailable(workers.readyCount === 0 && !signal.aborted)
      if (workers.reason === null) allReady()
    },
  })
  health.add(() => (workers.readyCount > 0 ? null : workers.reason))
  await serveHealth(context, settings, {
    contentType: metrics.registry.contentType,
    metrics: async () =>
      mergeMetrics([await metrics.registry.metrics(), ...(await workers.metrics())]),
  })
  const failed = workers.run().then(() => new Promise<never>(() => {}))
  components.add({ name: 'workers', stop: () => workers.stop(), failed })
  signal.addEventListener('abort', () => workers.askToStop())
  await ready
}

/**
 * The port of the workers. While none of them listens, this process does, and answers 503: clients
 * learn that they should come again, and no other process takes the port.
 */
class SharedPort {
  readonly port: number
  /** Resolves with the error if the port cannot be listened on again. */
  readonly failed: Promise<unknown>
  private readonly open: () => Promise<HttpServer>
  private fail: (error: unknown) => void = () => {}
  private server: HttpServer | null = null
  private isWanted = true
  private changing: Promise<void>

  /** @throws StartupError if another process has the port, or too few files may be open */
  static async claim(
    { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
    settings: SettingsOf<'api'>,
  ): Promise<SharedPort> {
    const { host, port } = settings
    const handler = countedNotReady(metrics)
    const connectionsMax = allowedConnections(settings)
    const where = { host, connectionsMax, flags: 'host and port', log, handler } as const
    // Sharing is between all processes of a user: a stranger is found by not sharing first.
    const claimed = await listen({ ...where, port })
    await claimed.close()
    const open = () => listen({ ...where, port: claimed.port, isShared: true })
    return new SharedPort(claimed.port, open)
  }

  private constructor(port: number, open: () => Promise<HttpServer>) {
    this.port = port
    this.open = open
    this.failed = new Promise((resolve) => {
      this.fail = resolve
    })
    this.changing = this.change()
  }

  answerUnavailable(isWanted: boolean): void {
    if (isWanted === this.isWanted) return
    this.isWanted = isWanted
    this.changing = this.changing.then(() => this.change())
  }

  async stop(): Promise<void> {
    this.answerUnavailable(false)
    await this.changing
  }

  /** One at a time. Never rejects. */
  private async change(): Promise<void> {
    const { server, isWanted } = this
    try {
      if (isWanted && server === null) this.server = await this.open()
      if (isWanted || server === null) return
      this.server = null
      server.drain()
      await server.close()
    } catch (error) {
      this.fail(error)
    }
  }
}
