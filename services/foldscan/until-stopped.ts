import pretty from 'pino-pretty'
import type { Settings } from '../../libs/settings/settings.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { startLogger } from '../../libs/signals/logger.ts'
import { consoleToLog } from './console-to-log.ts'
import type { Face } from './face.ts'
import { firstCrash } from './first-crash.ts'
import { lockFolder } from './folder-lock.ts'
import { lineFace } from './line-face.ts'
import { startParts } from './parts.ts'
import { prepareFolder } from './prepare-folder.ts'
import { Refusal } from './refusal.ts'
import { startRiver } from './river.ts'
import { terminalFace } from './terminal-face.ts'

/** People wait for a stop at most 5 s; the rest is for leaving. */
const stopTimeoutMs = 4_000
/** npm and a terminal send the same Ctrl-C twice within moments: that is one wish, not two. */
const sameWishMs = 500
const impatientExitCode = 130

/**
 * Runs `foldscan up` until somebody stops it.
 * @throws when a part fails, or does not stop in time; all others are stopped then.
 */
export async function untilStopped(settings: Settings): Promise<void> {
  const { log, face } = voice(settings)
  consoleToLog(log)
  const folder = prepareFolder(settings.dataDir)
  const free = lockFolder(folder)
  const parts = startParts((part, tookMs) =>
    log.debug({ event: events.up.partStopped, part, tookMs }, `${part} stopped`),
  )
  const stopped = stopAsked()
  const crashed = firstCrash(process, log)
  let failure: unknown = null
  try {
    const over = Promise.race([stopped, crashed, parts.failed])
    face.starting(settings.source)
    await Promise.race([over, startRiver({ settings, folder, log, face, parts })])
    await over
  } catch (error) {
    failure = error
  }
  face.stopping()
  const late = await parts.stop(stopTimeoutMs)
  free()
  if (failure !== null) throw failure
  if (late.length > 0) {
    throw new Refusal(`These parts did not stop within ${stopTimeoutMs} ms: ${late.join(', ')}.`)
  }
  face.stopped()
}

function voice(settings: Settings): { log: Log; face: Face } {
  if (!process.stdout.isTTY) {
    const log = startLogger(settings.logLevel)
    return { log, face: lineFace(log) }
  }
  // What a line of level info would say, the bar and the lines of blocks show already.
  const level = settings.logLevel === 'info' ? 'warn' : settings.logLevel
  const lines = pretty({ destination: process.stderr.fd, sync: true, ignore: 'event' })
  return { log: startLogger(level, lines), face: terminalFace(process.stdout) }
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
