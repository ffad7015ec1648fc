import type { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pTimeout from 'p-timeout'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'

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

/** A component of the running process. */
interface Component {
  readonly name: string
  /** Stops it; acknowledged work is kept. */
  readonly stop: () => Promise<void>
  /** Resolves with the reason if it ends by itself; never resolves otherwise. */
  readonly failed?: Promise<unknown>
}

/**
 * Running components in start order. They are stopped in reverse order, so that each can still use
 * what it depends on.
 */
export interface Components {
  readonly add: (component: Component) => void
  /** Rejects when a component ends without being stopped. */
  readonly failed: Promise<never>
  /** @returns names of components that did not stop within the time. */
  readonly stop: (timeoutMs: number) => Promise<string[]>
}

/** @param onStopped called with the stop duration of each component, in milliseconds */
export function startComponents(
  onStopped: (name: string, tookMs: number) => void = () => {},
): Components {
  const components: Component[] = []
  let stopping = false
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Avoids an unhandledRejection until it is awaited.
  failed.catch(() => {})
  return {
    failed,
    add(component) {
      // Stop was requested while this component was still starting.
      if (stopping) component.stop().catch(() => {})
      components.push(component)
      component.failed?.then(
        (reason) => stopping || fail(reason),
        (reason) => stopping || fail(reason),
      )
    },
    async stop(timeoutMs) {
      stopping = true
      const deadline = Date.now() + timeoutMs
      const late: string[] = []
      for (const component of components.toReversed()) {
        const began = Date.now()
        if (!(await stoppedBy(deadline, component))) late.push(component.name)
        onStopped(component.name, Date.now() - began)
      }
      return late
    },
  }
}

/** A component that throws while stopping counts as stopped; the others are still stopped. */
async function stoppedBy(deadline: number, component: Component): Promise<boolean> {
  const stopped = component.stop().then(
    () => true,
    () => true,
  )
  const milliseconds = Math.max(1, deadline - Date.now())
  return await pTimeout(stopped, { milliseconds, fallback: () => false })
}
