import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeUntrackedFolder } from '../../libs/adapters/disk/make-untracked-folder.ts'
import { StartupError } from './startup-error.ts'

/** Makes the data folder if it is missing. @returns its absolute path. @throws StartupError */
export function prepareFolder(dataDir: string): string {
  const folder = resolve(dataDir)
  try {
    makeUntrackedFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    throw new StartupError(`The data folder ${folder} cannot be written: ${because}.`)
  }
  if (!statSync(folder).isDirectory()) throw new StartupError(`${folder} is not a folder.`)
  return folder
}
