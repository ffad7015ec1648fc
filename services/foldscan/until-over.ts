import { setTimeout as pause } from 'node:timers/promises'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { firstCrash } from './first-crash.ts'
import { type Components, startComponents } from './parts.ts'
import { StartupError } from './refusal.ts'

/** npm and a terminal send the same Ctrl-C twice within moments: that is one wish, not two. */
const sameWishMs = 500
const impatientExitCode = 130

export interface RunOptions {
  readonly log: Log
  /** For all parts together. */
  readonly stopTimeoutMs: number
  /** Between `stopping` and the stop of the parts, where somebody asked to stop. */
  readonly drainMs?: number
  /** Adds to the parts what it starts. Where it resolves with 'done', there is no more to do. */
  readonly start: (parts: Components) => Promise<'runs' | 'done'>
  /** Called when somebody asks to stop, or a part fails, before the parts are stopped. */
  readonly stopping: () => void
}

/**
 * Lives until somebody stops it, or it is done.
 * @throws when a part fails, or does not stop in time; all others are stopped then.
 */
export async function runUntilStopped(life: RunOptions): Promise<void> {
  const { log, stopTimeoutMs, drainMs = 0, start, stopping } = life
  const parts = startComponents((part, tookMs) =>
    log.debug({ event: events.service.partStopped, part, tookMs }, `${part} stopped`),
  )
  const stopped = stopAsked()
  const crashed = firstCrash(process, log)
  let failure: unknown = null
  let isDrained = true
  try {
    const over = Promise.race([stopped, crashed, parts.failed])
    const begun = await Promise.race([over, start(parts)])
    if (begun === 'runs') await over
    isDrained = begun !== 'runs'
  } catch (error) {
    failure = error
  }
  stopping()
  if (!isDrained && drainMs > 0) {
    const drained = pause(drainMs)
    await Promise.race([drained, crashed, parts.failed]).catch((error: unknown) => {
      failure = error
    })
  }
  const late = await parts.stop(stopTimeoutMs)
  if (failure !== null) throw failure
  if (late.length > 0) {
    throw new StartupError(
      `These parts did not stop within ${stopTimeoutMs} ms: ${late.join(', ')}.`,
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
