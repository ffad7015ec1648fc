import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { allTables } from '../../../libs/tables/all-tables.ts'

interface AnswerForms {
  readonly chainId: number
  readonly figuresStepSeconds: number
  readonly publishedTypes: boolean
}

/** Prefix of the pages that processes share: what their bytes depend on besides the tables. */
export const pagesVersion = (
  answers: string,
  { chainId, figuresStepSeconds, publishedTypes }: AnswerForms,
): string => `${answers}|${chainId}|${figuresStepSeconds}${publishedTypes ? '|published' : ''}`

/** Folders whose sources determine the bytes of an answer. */
const folders = [
  '../../../libs/presenters',
  '../../../libs/queries',
  '../../../libs/chain',
  '../../../libs/tables',
  '../endpoints',
  '../reader',
  '../render',
  '../row-cache',
]
/** Packages whose code decides bytes. */
const packages = ['abitype', 'hash-wasm', 'viem', 'zod']
const versionForm = z.object({ version: z.string() })
const digestCharacters = 16

/**
 * What an answer's bytes depend on besides the tables: the versions of all tables, and the
 * sources of queries, presenters, reads and pages. Processes of different releases share no pages.
 */
export function answersVersion(): string {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const path = fileURLToPath(new URL(folder, import.meta.url))
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter(isSource).sort()) {
      hash.update(`${folder}/${file}\n`).update(readFileSync(join(path, file)))
    }
  }
  // In a checkout, or compiled in an image.
  const topics = fileURLToPath(new URL('../../../libs/topics', import.meta.url))
  for (const file of readdirSync(topics).filter((one) => /^changes\.(ts|js)$/.test(one))) {
    hash.update(readFileSync(join(topics, file)))
  }
  for (const name of packages) hash.update(`${name} ${versionOf(name)}\n`)
  const digest = hash.digest('base64url').slice(0, digestCharacters)
  return `${allTables.map(({ version }) => version).join('.')}|${digest}`
}

/** By its own `package.json`, which a package need not export. */
function versionOf(name: string): string {
  for (const folder of resolving.resolve.paths(name) ?? []) {
    const path = join(folder, name, 'package.json')
    if (existsSync(path)) return versionForm.parse(JSON.parse(readFileSync(path, 'utf8'))).version
  }
  // Bundled without it: the sources above still differ between releases.
  return 'unknown'
}

const resolving = createRequire(import.meta.url)

/** Sources of a checkout (.ts) or an image (.js). */
const isSource = (file: string): boolean =>
  /(?<!\.d)\.(ts|js|sql)$/.test(file) && !file.endsWith('.spec.ts') && !/(^|\/)testing\//.test(file)
