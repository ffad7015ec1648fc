import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lmdbEventLog } from '../../../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { embeddedBounds } from '../../../libs/topics/topics.ts'
import { lockFolder } from '../folder-lock.ts'
import { engineIn } from '../open-store.ts'
import { Refusal } from '../refusal.ts'
import type { Task } from './operate.ts'

/**
 * The log in the data folder of `up`, while `up` is stopped. Opening the log takes it from whoever
 * had it, so the engine comes first, as in `up`: its lock on the folder holds across containers.
 *
 * @throws Refusal if another process uses the folder, or `up` never did
 */
export async function logOfFolder({ log, parts }: Task, dataDir: string): Promise<EventLog> {
  const folder = resolve(dataDir)
  if (!existsSync(join(folder, 'log', 'log.lmdb'))) {
    throw new Refusal(
      `The folder ${folder} of --into-data-dir holds no log: \`foldscan up --data-dir\` makes it.`,
    )
  }
  const free = lockFolder(folder)
  parts.add({ name: 'lock', stop: async () => free() })
  const engine = await engineIn(join(folder, 'engine'), log)
  parts.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  parts.add({ name: 'log', stop: () => events.close() })
  return events
}
