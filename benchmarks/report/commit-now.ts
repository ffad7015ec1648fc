import { execFileSync } from 'node:child_process'

/** That is checked out, in 12 digits. */
export const commitNow = (): string =>
  execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  }).trim()
