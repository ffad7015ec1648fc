import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  '../endpoints',
  '../reader',
  '../render',
  '../row-cache',
]
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
  const digest = hash.digest('base64url').slice(0, digestCharacters)
  return `${allTables.map(({ version }) => version).join('.')}|${digest}`
}

/** Sources of a checkout (.ts) or an image (.js). */
const isSource = (file: string): boolean =>
  /(?<!\.d)\.(ts|js|sql)$/.test(file) && !file.endsWith('.spec.ts') && !/(^|\/)testing\//.test(file)
