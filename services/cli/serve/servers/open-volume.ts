import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeUntrackedFolder } from '../../../../libs/adapters/disk/make-untracked-folder.ts'
import { replaceFile } from '../../../../libs/adapters/disk/replace-file.ts'
import { lmdbStateStore } from '../../../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { StateStore } from '../../../../libs/ports/state-store.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { lockFolder, prepareFolder } from '../../process/folder-lock.ts'
import type { Components } from '../../process/run-until-stopped.ts'

interface VolumeOptions {
  readonly dataDir: string
  /** Of its folder in there. */
  readonly name: string
  /** Id of the deployment, or another identifier of the log that the volume was folded from. */
  readonly owner: string
  readonly components: Components
}

/** A service's own volume, for this process alone. @throws StartupError if it is another's */
export function openVolume({ dataDir, name, owner, components }: VolumeOptions): StateStore {
  const folder = join(prepareFolder(dataDir), name)
  makeUntrackedFolder(folder)
  const free = lockFolder(folder)
  components.add({ name: `lock of ${name}`, stop: async () => free() })
  refuseOthers(folder, owner)
  const state = lmdbStateStore({ folder: join(folder, 'state') })
  components.add({ name: `volume ${name}`, stop: () => state.close() })
  return state
}

function refuseOthers(folder: string, owner: string): void {
  const file = join(folder, 'owner')
  if (!existsSync(file)) {
    replaceFile(file, `${owner}\n`)
    return
  }
  const standing = readFileSync(file, 'utf8').trim()
  if (standing === owner) return
  throw new StartupError(
    `The volume ${folder} belongs to ${standing}, not to ${owner}: ` +
      'choose another folder with --data-dir, or remove this one, as all in it can be folded again.',
  )
}
