import type { Run } from './command.ts'
import { lockFolder } from './folder-lock.ts'
import { lineFace } from './line-face.ts'
import { prepareFolder } from './prepare-folder.ts'
import { isOnTerminal } from './process-log.ts'
import { startRiver } from './river.ts'
import { terminalFace } from './terminal-face.ts'
import { untilOver } from './until-over.ts'

/** People wait for a stop at most 5 s; the rest is for leaving. */
const stopTimeoutMs = 4_000

/** Runs `foldscan up` until it is stopped. @throws when a part fails, or does not stop in time */
export const untilStopped: Run<'up'> = async (settings, { log }) => {
  const face = isOnTerminal('service') ? terminalFace(process.stdout) : lineFace(log)
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
  return undefined
}
