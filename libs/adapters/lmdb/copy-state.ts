import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { StateStore } from '../../ports/state-store.ts'
import { lmdbStateStore, stateFileName } from './lmdb-state-store.ts'
import { BrokenFile, syncToDisk } from './open-environment.ts'
import { isStaged } from './staged-writes.ts'

/** A commit in parts can end between the copy of the file and that of what it has staged. */
const attemptsMax = 3

/**
 * Copies a state store as one commit left it, while another process of this container reads and
 * writes it. To be run in a process of its own: what is copied stays mapped until that one ends.
 * Until then the store cannot use freed pages again, so its file grows.
 *
 * @param to folder, which must not exist
 * @returns what `look` finds in the finished copy
 * @throws BrokenFile if the store is not there, or what was copied cannot be opened
 */
export async function copyState<T>(
  from: string,
  to: string,
  look: (copy: StateStore) => T,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(to)
    try {
      await copyFiles(from, to)
      return await finished(to, look)
    } catch (error) {
      await rm(to, { recursive: true, force: true })
      if (attempt === attemptsMax || !(error instanceof BrokenFile)) throw error
    }
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  const source = openForReading(join(from, stateFileName))
  try {
    // Without free pages, and in the order of the tree.
    await source.backup(join(to, stateFileName), true)
  } finally {
    await source.close()
  }
  // After it: what it names is either still here or written to the store meanwhile.
  for (const name of await readdir(from)) {
    if (!isStaged(stateFileName, name)) continue
    await copyFile(join(from, name), join(to, name)).catch(unlessGone)
  }
}

function openForReading(file: string) {
  try {
    return open<Buffer, Buffer>(file, { encoding: 'binary', noSubdir: true, readOnly: true })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BrokenFile(`${file} cannot be read: ${why}`, { cause: error })
  }
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Ends the commit that the copy was made in the midst of, so that one file is all of it. */
async function finished<T>(to: string, look: (copy: StateStore) => T): Promise<T> {
  const copy = lmdbStateStore({ folder: to })
  let found: T
  try {
    found = look(copy)
  } finally {
    await copy.close()
  }
  for (const name of await readdir(to)) {
    if (name !== stateFileName) await rm(join(to, name))
  }
  for (const path of [join(to, stateFileName), to]) syncToDisk(path)
  return found
}
