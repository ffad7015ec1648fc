import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const script = fileURLToPath(new URL('../../deploy/compose.sh', import.meta.url))
const source = 'ws://node.example/a-key'

/** Files of secrets as deploy/compose.sh makes them, and the URL of a node. */
export interface MadeSecrets {
  readonly folder: string
  readonly read: (name: string) => string
  /** Matches any of them. */
  readonly anyOf: RegExp
  readonly modeOf: (name: string) => number
  /** Runs the script again. */
  readonly make: () => void
}

/** In a folder of their own, until the tests of this file are over. */
export function madeSecrets(): MadeSecrets {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const env = { ...process.env, STACK_SECRETS: folder, COMPOSE: 'true' }
  const make = () => void execFileSync(script, ['up'], { env, stdio: 'pipe' })
  make()
  writeFileSync(join(folder, 'source'), `${source}\n`)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const passwords = ['clickhouse-password', 'clickhouse-read-password', 'redis-password'].map(read)
  return {
    folder,
    read,
    anyOf: new RegExp([...passwords, source].join('|')),
    modeOf: (name) => statSync(join(folder, name)).mode & 0o777,
    make,
  }
}
