import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

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
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`cannot read the folder of blocks ${folder}: ${reason}`)
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

function enter(files: Map<number, string>, name: RegExpExecArray | null, folder: string): void {
  if (!name) return
  const number = Number(name[1])
  const before = files.get(number)
  const path = join(folder, name[0])
  if (before) throw new Error(`block ${number} is in two files: ${before} and ${path}`)
  files.set(number, path)
}
