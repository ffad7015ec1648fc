import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const gunzipped = promisify(gunzip)

/** Far above any block; a gzip of zeros must not fill the memory. */
const fileBytesMax = 256 * 1024 * 1024

const blockName = /^([0-9]{1,15})\.json(?:\.gz)?$/
const observedName = /^([0-9]{1,15})\.observed\.json(?:\.gz)?$/

/** What a folder holds, by block number; paths to the files. */
export interface BlockFiles {
  readonly blocks: ReadonlyMap<number, string>
  readonly observations: ReadonlyMap<number, string>
  /** Numbers of the blocks, ascending. */
  readonly numbers: readonly number[]
}

/** @throws with one sentence if the folder cannot be read or holds no block, or one twice. */
export async function listBlockFiles(folder: string): Promise<BlockFiles> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new Error(`cannot read the folder of blocks ${folder}: ${reason(cause)}`)
  })
  const blocks = new Map<number, string>()
  const observations = new Map<number, string>()
  for (const name of names) {
    enter(blocks, blockName.exec(name), folder)
    enter(observations, observedName.exec(name), folder)
  }
  if (blocks.size === 0) {
    throw new Error(`the folder ${folder} holds no block: files are named N.json or N.json.gz`)
  }
  return { blocks, observations, numbers: [...blocks.keys()].sort((a, b) => a - b) }
}

/** @throws with one sentence that names the file. */
export async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path)
    .then((read) =>
      path.endsWith('.gz') ? gunzipped(read, { maxOutputLength: fileBytesMax }) : read,
    )
    .catch((cause: unknown) => {
      throw new Error(`cannot read ${path}: ${reason(cause)}`)
    })
  try {
    return JSON.parse(bytes.toString())
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${reason(cause)}`)
  }
}

function enter(files: Map<number, string>, name: RegExpExecArray | null, folder: string): void {
  if (!name) return
  const number = Number(name[1])
  const before = files.get(number)
  const path = join(folder, name[0])
  if (before) throw new Error(`block ${number} is in two files: ${before} and ${path}`)
  files.set(number, path)
}

export const reason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
