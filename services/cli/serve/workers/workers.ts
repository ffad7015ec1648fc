import { events } from '../../../../libs/signals/events.ts'
import type { Log } from '../../../../libs/signals/log.ts'
import type { Metrics } from '../../../../libs/signals/metrics.ts'
import { pause } from '../../../../libs/signals/pause.ts'
import { runbooks } from '../../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import type { Reason } from '../health.ts'
import { RestartPolicy } from './restart-policy.ts'
import type { WorkerProcess } from './worker-process.ts'

interface WorkersOptions {
  readonly count: number
  readonly fork: (number: number) => WorkerProcess
  readonly log: Log
  readonly metrics: Pick<Metrics, 'workers' | 'workerRestarts'>
  /** Called when it is known anew whether a worker is ready. */
  readonly onReadiness: () => void
  readonly times?: Partial<WorkerTimes>
}

interface WorkerTimes {
  /** Between two questions to a worker. */
  readonly askEveryMs: number
  /** For the first answer: a process begins with loading its modules. */
  readonly startTimeoutMs: number
  /** For any later answer; after that the worker is killed. */
  readonly answerTimeoutMs: number
  /** From SIGTERM to SIGKILL, beside the time to drain. */
  readonly stopTimeoutMs: number
}

const timesDefault: WorkerTimes = {
  askEveryMs: 250,
  startTimeoutMs: 60_000,
  answerTimeoutMs: 10_000,
  stopTimeoutMs: 9_000,
}

/** A scrape does not wait longer for a worker, whose series it then lacks. */
const metricsTimeoutMs = 2_000

/** A place for one process after another, which all have its number. */
interface Slot {
  readonly number: number
  process: WorkerProcess | null
  reasons: readonly Reason[]
}

const starting: Reason = { reason: 'starting', sentence: 'it is still starting' }

/** Present from the start: a counter that begins with its first event shows no increase by it. */
const restartReasons = ['ended', 'unresponsive'] as const
type RestartReason = (typeof restartReasons)[number]

/** Keeps a number of worker processes running. */
export class Workers {
  private readonly options: WorkersOptions
  private readonly times: WorkerTimes
  private readonly slots: readonly Slot[]
  private readonly policy: RestartPolicy
  private readonly stopping = new AbortController()
  private wasReady = false

  constructor(options: WorkersOptions) {
    const { count, times } = options
    this.options = options
    this.times = { ...timesDefault, ...times }
    this.policy = new RestartPolicy(count)
    for (const reason of restartReasons) options.metrics.workerRestarts.inc({ reason }, 0)
    this.slots = Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      process: null,
      reasons: [starting],
    }))
  }

  /** Workers that are ready; only those listen. */
  get readyCount(): number {
    return this.slots.filter(({ reasons }) => reasons.length === 0).length
  }

  /** Why the first worker that is not ready is not; null if all are. */
  get reason(): Reason | null {
    for (const { number, reasons } of this.slots) {
      const [first] = reasons
      if (first !== undefined) {
        return { ...first, sentence: `worker ${number} is not ready: ${first.sentence}` }
      }
    }
    return null
  }

  /** Starts them. Resolves when all have ended after a stop. @throws if they end again and again */
  async run(): Promise<void> {
    this.count()
    await Promise.all(this.slots.map((slot) => this.keepRunning(slot)))
  }

  /** Each worker drains by itself. */
  askToStop(): void {
    if (this.stopping.signal.aborted) return
    this.stopping.abort()
    for (const { process } of this.slots) process?.kill('SIGTERM')
  }

  /** Resolves when all have ended; those that do not in time are killed. */
  async stop(): Promise<void> {
    this.askToStop()
    const running = this.slots.flatMap(({ process }) => process ?? [])
    const kill = setTimeout(() => {
      for (const process of running) process.kill('SIGKILL')
    }, this.times.stopTimeoutMs)
    await Promise.all(running.map(({ ended }) => ended))
    clearTimeout(kill)
  }

  /** What each worker exports that answers. */
  async metrics(): Promise<string[]> {
    const texts = this.slots.map(async ({ process }) => {
      const text = await process?.metrics(metricsTimeoutMs).catch(() => null)
      return text ?? []
    })
    return (await Promise.all(texts)).flat()
  }

  private async keepRunning(slot: Slot): Promise<void> {
    const { log, fork, metrics } = this.options
    const { number: worker } = slot
    const { signal } = this.stopping
    while (!signal.aborted) {
      const process = fork(worker)
      slot.process = process
      const { pid } = process
      log.info({ event: events.workers.started, worker, pid }, `started worker ${worker}`)
      const isAnswering = await this.watch(slot, process)
      const how = await process.ended
      slot.process = null
      this.setReasons(slot, [starting])
      if (signal.aborted) return
      const pauseMs = this.wasReady ? this.policy.ended(worker, performance.now()) : null
      if (pauseMs === null) throw this.failure(worker, how)
      log.error(
        { event: events.workers.ended, worker, pid, how, pauseMs, runbook: runbooks.workers },
        `worker ${worker} ended (${how}): it is started again`,
      )
      const reason: RestartReason = isAnswering ? 'ended' : 'unresponsive'
      metrics.workerRestarts.inc({ reason })
      await pause(pauseMs, signal)
    }
  }

  /** Until it has ended. @returns false if it was killed because it did not answer */
  private async watch(slot: Slot, process: WorkerProcess): Promise<boolean> {
    const { askEveryMs, startTimeoutMs, answerTimeoutMs } = this.times
    const over = new AbortController()
    void process.ended.then(() => over.abort())
    let timeoutMs = startTimeoutMs
    while (!over.signal.aborted) {
      try {
        this.setReasons(slot, await process.readiness(timeoutMs))
      } catch {
        if (over.signal.aborted) break
        this.kill(slot, process, timeoutMs)
        return false
      }
      timeoutMs = answerTimeoutMs
      await pause(askEveryMs, over.signal)
    }
    return true
  }

  private kill({ number: worker }: Slot, process: WorkerProcess, timeoutMs: number): void {
    const { pid } = process
    this.options.log.error(
      { event: events.workers.unresponsive, worker, pid, runbook: runbooks.workers },
      `killed worker ${worker}, which did not answer within ${timeoutMs} ms`,
    )
    process.kill('SIGKILL')
  }

  private setReasons(slot: Slot, reasons: readonly Reason[]): void {
    slot.reasons = reasons
    if (reasons.length === 0) this.wasReady = true
    this.count()
    this.options.onReadiness()
  }

  private count(): void {
    const { metrics } = this.options
    metrics.workers.set({ state: 'ready' }, this.readyCount)
    metrics.workers.set({ state: 'not ready' }, this.slots.length - this.readyCount)
  }

  private failure(worker: number, how: string): StartupError {
    if (!this.wasReady) {
      return new StartupError(
        `Worker ${worker} ended (${how}) before any worker was ready: its own lines say why.`,
      )
    }
    return new StartupError(
      `Workers end again and again, the last one was worker ${worker} (${how}). ` +
        `See ${runbooks.workers}.`,
    )
  }
}
