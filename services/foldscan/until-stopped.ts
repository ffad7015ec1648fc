import pretty from 'pino-pretty'
import type { Settings } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import { startLogger } from '../../libs/signals/logger.ts'
import { consoleToLog } from './console-to-log.ts'
import type { Face } from './face.ts'
import { lockFolder } from './folder-lock.ts'
import { lineFace } from './line-face.ts'
import { prepareFolder } from './prepare-folder.ts'
import { startRiver } from './river.ts'
import { terminalFace } from './terminal-face.ts'
import { untilOver } from './until-over.ts'

/** People wait for a stop at most 5 s; the rest is for leaving. */
const stopTimeoutMs = 4_000

/**
 * Runs `foldscan up` until somebody stops it.
 * @throws when a part fails, or does not stop in time; all others are stopped then.
 */
export async function untilStopped(settings: Settings): Promise<void> {
  const { log, face } = voice(settings)
  consoleToLog(log)
  const folder = prepareFolder(settings.dataDir)
  const free = lockFolder(folder)
  try {
    await untilOver({
      log,
      stopTimeoutMs,
      async start(parts) {
        face.starting(settings.source)
        await startRiver({ settings, folder, log, face, parts })
        return 'runs'
      },
      stopping: () => face.stopping(),
    })
  } finally {
    free()
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
