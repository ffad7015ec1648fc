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

/** A service's own volume, which no other process has. */
interface TakenVolume {
  /** Of its state store, which need not be there. */
  readonly folder: string
  readonly open: () => StateStore
}

/** A service's own volume, for this process alone. @throws StartupError if it is another's */
export const openVolume = (options: VolumeOptions): StateStore => takeVolume(options).open()

/** The same without opening it. @throws StartupError if it is another's */
export function takeVolume({ dataDir, name, owner, components }: VolumeOptions): TakenVolume {
  const volume = join(prepareFolder(dataDir), name)
  makeUntrackedFolder(volume)
  const free = lockFolder(volume)
  components.add({ name: `lock of ${name}`, stop: async () => free() })
  refuseOthers(volume, owner)
  const folder = stateFolderOf(volume)
  const open = () => {
    const state = lmdbStateStore({ folder })
    components.add({ name: `volume ${name}`, stop: () => state.close() })
    return state
  }
  return { folder, open }
}

/** Of the projector of a group's version. */
export const volumeOf = (groupId: string): string => `projector-${groupId}`

export const stateFolderOf = (volume: string): string => join(volume, 'state')

function refuseOthers(volume: string, owner: string): void {
  const standing = ownerOf(volume)
  if (standing === null) replaceFile(ownerFile(volume), `${owner}\n`)
  if (standing === null || standing === owner) return
  throw new StartupError(
    `The volume ${volume} belongs to ${standing}, not to ${owner}: ` +
      'choose another folder with --data-dir, or remove this one, as all in it can be folded again.',
  )
}

/** As it was when it was opened first; null if no process has opened it yet. */
export function ownerOf(volume: string): string | null {
  const file = ownerFile(volume)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

const ownerFile = (volume: string): string => join(volume, 'owner')
