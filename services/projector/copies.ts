import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { copyState } from '../../libs/adapters/lmdb/copy-state.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { syncToDisk } from '../../libs/adapters/lmdb/open-environment.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { foldedOf, readOffsets } from './facts/fact-offsets.ts'
import { checkpointSequences } from './volume/checkpoint.ts'

/** Copies of a volume that stay; the second one in case that the first cannot be read. */
const copiesMax = 2
/** How long a copy may take. */
export const copyMsMax = 3 * 3_600_000

const draftBegin = 'unfinished-'
/** When it was made (UTC), and its position. */
const copyName = /^(\d{8}T\d{6}Z)-(\d+)$/

export interface VolumeCopy {
  /** A folder with a state store. */
  readonly path: string
  /** In ms since 1970. */
  readonly at: number
  /** Of the last message that it has folded; of group dimensions `foldedOf`. */
  readonly position: number
}

/** Copies of the volumes of a group's version in one deployment. */
export const copiesFolder = (root: string, owner: string, volume: string): string =>
  join(resolve(root), owner.replace(/[^\w.-]+/g, '-'), volume)

/** The copy that has folded most, of equal ones the one that was made last; null without any. */
export async function newestCopy(folder: string): Promise<VolumeCopy | null> {
  const [newest] = await copiesIn(folder)
  return newest ?? null
}

/** Newest first. */
async function copiesIn(folder: string): Promise<readonly VolumeCopy[]> {
  const copies = (await namesIn(folder)).flatMap((name): VolumeCopy[] => {
    const [, time, position] = copyName.exec(name) ?? []
    if (time === undefined) return []
    return [{ path: join(folder, name), at: timeOf(time), position: Number(position) }]
  })
  return copies.sort((one, other) => other.position - one.position || other.at - one.at)
}

/**
 * Copies a state store into a folder of copies and removes the oldest ones there. Who is killed
 * meanwhile leaves a folder that is no copy. See `copyState` for the process it is to run in.
 *
 * @param at in ms since 1970
 * @throws if a copy has folded more: a volume that was begun anew replaces none
 */
export async function takeCopy(
  state: string,
  { folder, at }: { readonly folder: string; readonly at: number },
): Promise<VolumeCopy & { readonly bytes: number }> {
  await mkdir(folder, { recursive: true })
  await removeDrafts(folder, at)
  const draft = join(folder, draftBegin + hostname())
  const position = await copyState(state, draft, positionOf)
  const newest = await newestCopy(folder)
  if (newest !== null && newest.position > position) {
    await rm(draft, { recursive: true })
    throw new Error(
      `the volume is at position ${position}, and ${newest.path} at ${newest.position}: that one ` +
        'stays; remove it if its log was replaced',
    )
  }
  const bytes = await bytesIn(draft)
  const path = join(folder, `${textOf(at)}-${position}`)
  await rename(draft, path)
  syncToDisk(folder)
  const others = (await copiesIn(folder)).filter((copy) => copy.path !== path)
  for (const old of others.slice(copiesMax - 1)) await rm(old.path, { recursive: true })
  return { path, at, position, bytes }
}

const positionOf = (copy: StateStore): number =>
  checkpointSequences(copy).at(-1) ?? foldedOf(readOffsets(copy))

/**
 * Puts a copy in the place of a state store, whose folder holds none.
 * @throws with its path, if it cannot be opened or read: then there is still none
 */
export async function restoreCopy({ path }: VolumeCopy, state: string): Promise<void> {
  const draft = `${state}.restored`
  await rm(draft, { recursive: true, force: true })
  try {
    await cp(path, draft, { recursive: true })
    await lmdbStateStore({ folder: draft }).close()
    for (const name of await readdir(draft)) syncToDisk(join(draft, name))
    syncToDisk(draft)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${path} cannot be restored: ${why}`, { cause: error })
  }
  await rm(state, { recursive: true, force: true })
  await rename(draft, state)
}

async function removeDrafts(folder: string, at: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(draftBegin)) continue
    const path = join(folder, name)
    const isOwn = name === draftBegin + hostname()
    if (isOwn || at - (await stat(path)).mtimeMs > copyMsMax) await rm(path, { recursive: true })
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const textOf = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
