import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lmdbEventLog } from '../../../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { embeddedBounds } from '../../../libs/topics/topics.ts'
import { lockFolder } from '../folder-lock.ts'
import { StartupError } from '../startup-error.ts'
import { startEngineIn } from '../up/embedded-store.ts'
import type { TaskContext } from './run-task.ts'

/**
 * The log in the data folder of `up`, while `up` is stopped. Opening the log fences its last owner,
 * so the engine comes first, as in `up`: its lock on the folder holds across containers.
 *
 * @throws StartupError if another process uses the folder, or `up` never did
 */
export async function openFolderLog(
  { log, components }: TaskContext,
  dataDir: string,
): Promise<EventLog> {
  const folder = resolve(dataDir)
  if (!existsSync(join(folder, 'log', 'log.lmdb'))) {
    throw new StartupError(
      `The folder ${folder} of --into-data-dir holds no log: \`foldscan up --data-dir\` makes it.`,
    )
  }
  const free = lockFolder(folder)
  components.add({ name: 'lock', stop: async () => free() })
  const engine = await startEngineIn(join(folder, 'engine'), log)
  components.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  components.add({ name: 'log', stop: () => events.close() })
  return events
}
