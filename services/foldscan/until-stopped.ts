import type { Run } from './command.ts'
import { lockFolder } from './folder-lock.ts'
import { logUi } from './line-face.ts'
import { prepareFolder } from './prepare-folder.ts'
import { isOnTerminal } from './process-log.ts'
import { startEmbedded } from './river.ts'
import { terminalUi } from './terminal-face.ts'
import { runUntilStopped } from './until-over.ts'

/** People wait for a stop at most 5 s; the rest is for leaving. */
const stopTimeoutMs = 4_000

/** Runs `foldscan up` until it is stopped. @throws when a part fails, or does not stop in time */
export const runUp: Run<'up'> = async (settings, { log }) => {
  const face = isOnTerminal('service') ? terminalUi(process.stdout) : logUi(log)
  const folder = prepareFolder(settings.dataDir)
  const free = lockFolder(folder)
  try {
    await runUntilStopped({
      log,
      stopTimeoutMs,
      async start(parts) {
        face.starting(settings.source)
        await startEmbedded({ settings, folder, log, face, parts })
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
