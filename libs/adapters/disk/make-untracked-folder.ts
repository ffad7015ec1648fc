import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface MakeFolderOptions {
  /** Permissions of a folder that is made; those of its creator by default. */
  readonly mode?: number
}

/**
 * Makes a folder for files of a program, with the folders above it. A `.gitignore` in it keeps git
 * and the tools that respect it (formatters, linters) away from those files wherever the folder is:
 * a formatter that rewrites JSON damages the tables of an engine. A folder that was not empty
 * before gets none, because it may belong to the user.
 */
export function makeUntrackedFolder(folder: string, { mode }: MakeFolderOptions = {}): void {
  mkdirSync(folder, { recursive: true, ...(mode === undefined ? {} : { mode }) })
  const ignore = join(folder, '.gitignore')
  if (readdirSync(folder).length === 0 && !existsSync(ignore)) {
    writeFileSync(ignore, '# Written by Foldscan: files of a program, not of people.\n*\n')
  }
}
