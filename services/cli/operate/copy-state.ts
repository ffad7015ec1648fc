import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stateFileName } from '../../../libs/adapters/lmdb/lmdb-state-store.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { copiesFolder, takeCopy } from '../../projector/copies.ts'
import type { Run } from '../command.ts'
import { lockFolder } from '../process/folder-lock.ts'
import { ownerOf, stateFolderOf, volumeOf } from '../serve/servers/open-volume.ts'
import { requireCopies } from '../serve/volume-copies.ts'
import { print, runTask } from './run-task.ts'

/** `foldscan state copy --group G --copies FOLDER`: while its projector runs, or not. */
export const operateCopyState: Run<'state copy'> = (settings, { log }) =>
  runTask(log, async ({ components }) => {
    const { dataDir, copies, group, json } = settings
    const name = volumeOf(groupId(group))
    const volume = join(resolve(dataDir), name)
    const state = stateFolderOf(volume)
    const owner = ownerOf(volume)
    if (owner === null || !existsSync(join(state, stateFileName))) {
      throw new StartupError(`The folder ${volume} holds no volume of a projector of ${group}.`)
    }
    const free = lockFolder(state)
    components.add({ name: 'lock of the copy', stop: async () => free() })
    // The parser refuses a start without it.
    const root = String(copies)
    requireCopies(root)
    const folder = copiesFolder(root, owner, name)
    const copy = await takeCopy(state, { folder, at: Date.now() }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new StartupError(`The volume was not copied to ${folder}: ${why}.`)
    })
    const { path, bytes, position } = copy
    await print(
      json ? JSON.stringify(copy) : `copied ${bytes} bytes at position ${position} to ${path}`,
    )
    return 0
  })
