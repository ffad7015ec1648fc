import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { groupNames, groupVersions } from '../../../libs/tables/declare/group-versions.ts'

interface PageForms {
  readonly chainId: number
  readonly figuresStepSeconds: number
  readonly publishedTypes: boolean
}

/** Prefix of the pages that processes share: what their bytes depend on besides the tables. */
export const pagesVersion = (
  answers: string,
  { chainId, figuresStepSeconds, publishedTypes }: PageForms,
): string => `${answers}|${chainId}|${figuresStepSeconds}${publishedTypes ? '|published' : ''}`

/** Folders whose sources determine the bytes of an answer. */
const folders = [
  '../../../libs/presenters',
  '../../../libs/queries',
  '../../../libs/chain',
  '../../../libs/tables',
  '../endpoints',
  '../rows',
]
/** Single files that determine them, too: `.ts` in a checkout, `.js` in an image. */
const files = [
  ['../../../libs/topics', 'changes'],
  ['..', 'render-page'],
  ['.', 'page'],
  ['.', 'serialized-page'],
  ['../response', 'splices'],
] as const

/** Packages whose code decides bytes. */
const packages = ['abitype', 'hash-wasm', 'viem', 'zod']
const versionForm = z.object({ version: z.string() })
const digestCharacters = 16

/**
 * What an answer's bytes depend on besides the tables: the versions of all groups, and the
 * sources of queries, presenters, reads and pages. Processes of different releases share no pages.
 */
export const answersVersion = (): string =>
  `${groupNames.map((group) => groupVersions[group]).join('.')}|${versionOfSources(import.meta.url)}`

/** @param module the URL of this module, or of its place in another tree */
export function versionOfSources(module: string): string {
  const hash = createHash('sha256')
  const read = (folder: string, file: string) =>
    hash.update(`${folder}/${file}\n`).update(readFileSync(join(pathOf(folder), file)))
  const pathOf = (folder: string) => fileURLToPath(new URL(folder, module))
  for (const folder of folders) {
    const all = readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
    for (const file of all.filter(isSource).sort()) read(folder, file)
  }
  for (const [folder, name] of files) {
    const sources = readdirSync(pathOf(folder)).filter((file) => isSource(file))
    for (const file of sources.filter((one) => one.startsWith(`${name}.`))) read(folder, file)
  }
  for (const version of packageVersions(module)) hash.update(`${version}\n`)
  return hash.digest('base64url').slice(0, digestCharacters)
}

/** `NAME VERSION` of each package, by its own `package.json`, which a package need not export. */
export function packageVersions(module: string): readonly string[] {
  const { resolve } = createRequire(module)
  return packages.map((name) => {
    const paths = (resolve.paths(name) ?? []).map((at) => join(at, name, 'package.json'))
    const path = paths.find((one) => existsSync(one))
    // Bundled without it: the sources still differ between releases.
    if (path === undefined) return `${name} unknown`
    return `${name} ${versionForm.parse(JSON.parse(readFileSync(path, 'utf8'))).version}`
  })
}

/** Sources of a checkout (.ts) or an image (.js). */
const isSource = (file: string): boolean =>
  /(?<!\.d)\.(ts|js|sql)$/.test(file) && !file.endsWith('.spec.ts') && !/(^|\/)testing\//.test(file)
