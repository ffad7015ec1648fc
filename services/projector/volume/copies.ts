import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { copyState } from '../../../libs/adapters/lmdb/copy-state.ts'
import { syncToDisk } from '../../../libs/adapters/lmdb/open-environment.ts'
import { checkpointSequences } from './checkpoint.ts'

/** Copies of a volume that stay; the second one in case that the first cannot be read. */
const copiesMax = 2
/** An unfinished copy that another host began. */
const draftMsMax = 24 * 3_600_000

const draftBegin = 'unfinished-'
/** UTC, ascending by name. */
const copyName = /^\d{8}T\d{6}Z$/

export interface VolumeCopy {
  /** A folder with a state store. */
  readonly path: string
  /** In ms since 1970. */
  readonly at: number
}

/** Copies of the volumes of a group's version in one deployment. */
export const copiesFolder = (root: string, owner: string, volume: string): string =>
  join(resolve(root), owner.replace(/[^\w.-]+/g, '-'), volume)

/** The newest of the copies in a folder, null if there is none. */
export async function newestCopy(folder: string): Promise<VolumeCopy | null> {
  const [newest] = await copiesIn(folder)
  return newest ?? null
}

/** Newest first. */
async function copiesIn(folder: string): Promise<readonly VolumeCopy[]> {
  const names = (await namesIn(folder)).filter((name) => copyName.test(name))
  const newestFirst = names.sort((one, other) => (one < other ? 1 : -1))
  return newestFirst.map((name) => ({ path: join(folder, name), at: timeOf(name) }))
}

/**
 * Copies a state store into a folder of copies and removes the oldest ones there. Who is killed
 * meanwhile leaves a folder that is no copy. See `copyState` for the process it is to run in.
 *
 * @param at in ms since 1970
 * @returns position: of the last message that the copy has folded, null for a group without
 * checkpoints
 */
export async function takeCopy(
  state: string,
  { folder, at }: { readonly folder: string; readonly at: number },
): Promise<VolumeCopy & { readonly position: number | null; readonly bytes: number }> {
  await mkdir(folder, { recursive: true })
  await removeDrafts(folder, at)
  const draft = join(folder, draftBegin + hostname())
  const position = await copyState(state, draft, (copy) => checkpointSequences(copy).at(-1) ?? null)
  const bytes = await bytesIn(draft)
  const path = join(folder, nameAt(at))
  await rename(draft, path)
  syncToDisk(folder)
  const old = (await copiesIn(folder)).slice(copiesMax)
  for (const { path } of old) await rm(path, { recursive: true })
  return { path, at, position, bytes }
}

/** Puts a copy in the place of a state store, whose folder holds none. */
export async function restoreCopy({ path }: VolumeCopy, state: string): Promise<void> {
  const draft = `${state}.restored`
  await rm(draft, { recursive: true, force: true })
  await cp(path, draft, { recursive: true })
  for (const name of await readdir(draft)) syncToDisk(join(draft, name))
  syncToDisk(draft)
  await rm(state, { recursive: true, force: true })
  await rename(draft, state)
}

async function removeDrafts(folder: string, at: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(draftBegin)) continue
    const path = join(folder, name)
    const isOwn = name === draftBegin + hostname()
    if (isOwn || at - (await stat(path)).mtimeMs > draftMsMax) await rm(path, { recursive: true })
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

const nameAt = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

const timeOf = (name: string): number =>
  Date.parse(name.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
