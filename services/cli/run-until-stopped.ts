import type { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { type Components, startComponents } from './components.ts'
import { StartupError } from './failure.ts'

/** npm and the terminal both forward Ctrl-C: two signals within this time count as one. */
const sameWishMs = 500
const impatientExitCode = 130

interface RunOptions {
  readonly log: Log
  /** For all components together. */
  readonly stopTimeoutMs: number
  /** Time between `stopping` and the stop of the components, after a signal. */
  readonly drainMs?: number
  /** Adds what it starts to the components. Resolves with `done` if there is no more to do. */
  readonly start: (components: Components) => Promise<'runs' | 'done'>
  /** Called on a signal or when a component fails, before the components are stopped. */
  readonly stopping: () => void
}

/**
 * Runs until it is stopped by a signal, or done.
 * @throws when a component fails, or does not stop in time; all others are stopped then.
 */
export async function runUntilStopped(life: RunOptions): Promise<void> {
  const { log, stopTimeoutMs, drainMs = 0, start, stopping } = life
  const components = startComponents((component, tookMs) =>
    log.debug(
      { event: events.service.componentStopped, component, tookMs },
      `${component} stopped`,
    ),
  )
  const stopped = stopAsked()
  const crashed = firstCrash(process, log)
  let failure: unknown = null
  let isDrained = true
  try {
    const over = Promise.race([stopped, crashed, components.failed])
    const begun = await Promise.race([over, start(components)])
    if (begun === 'runs') await over
    isDrained = begun !== 'runs'
  } catch (error) {
    failure = error
  }
  stopping()
  if (!isDrained && drainMs > 0) {
    const drained = pause(drainMs)
    await Promise.race([drained, crashed, components.failed]).catch((error: unknown) => {
      failure = error
    })
  }
  const late = await components.stop(stopTimeoutMs)
  if (failure !== null) throw failure
  if (late.length > 0) {
    throw new StartupError(
      `These components did not stop within ${stopTimeoutMs} ms: ${late.join(', ')}.`,
    )
  }
}

/** Resolves at the first signal; a second one ends the process at once. */
function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (askedAt > 0 && Date.now() - askedAt > sameWishMs) process.exit(impatientExitCode)
        askedAt ||= Date.now()
        resolve()
      })
    }
  })
}

/**
 * Rejects with the first uncaught exception. Later ones are only logged: without a listener they
 * would end the process in the middle of an orderly shutdown.
 */
export function firstCrash(process: EventEmitter, log: Log): Promise<never> {
  return new Promise<never>((_, reject) => {
    let isFirst = true
    process.on('uncaughtException', (error: unknown) => {
      reject(error)
      if (!isFirst) {
        const text = error instanceof Error ? error.message : String(error)
        const fields = { event: events.service.failedToo, error: text }
        log.error(fields, `another failure while stopping: ${text}`)
      }
      isFirst = false
    })
  })
}
