import { execFile } from 'node:child_process'
import { foldscanWords } from '../support/compiled-services.ts'
import { ownEnvironment, top } from '../up/running.ts'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command that ends by itself, with the words that a user would type. */
export const runFoldscan = (
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) =>
  new Promise<Ended>((resolve) => {
    const env = { ...ownEnvironment(), ...environment }
    execFile(
      process.execPath,
      foldscanWords(words, env),
      { cwd: top, env },
      (error, stdout, stderr) => {
        // Without a code it was killed.
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr })
      },
    )
  })
