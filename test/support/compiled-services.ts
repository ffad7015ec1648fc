import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const top = fileURLToPath(new URL('../../', import.meta.url))
/** Below `node_modules`, so that the compiled modules find their packages. */
const parent = join(top, 'node_modules/.cache')
/** Set for the workers of this run. No setting: services reject unknown ones. */
const variable = 'COMPILED_SERVICES_FOLDER'

/**
 * Compiles the services as the image does, once for all projects of a run: from the sources each
 * process would take about a second more to start.
 *
 * @returns removes what was compiled
 */
export async function setup(): Promise<() => void> {
  if (process.env[variable] !== undefined) return () => {}
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'foldscan-'))
  process.env[variable] = folder
  const compiler = join(top, 'node_modules/.bin/tsc')
  await promisify(execFile)(compiler, ['-p', 'deploy/image/tsconfig.json', '--outDir', folder], {
    cwd: top,
  })
  cpSync(join(top, 'package.json'), join(folder, 'package.json'))
  for (const tree of ['libs', 'services']) {
    cpSync(join(top, tree), join(folder, tree), { recursive: true, filter: isReadAtRunTime })
  }
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Queries, migrations, and the contracts of the demo chain. */
const isReadAtRunTime = (path: string) =>
  /\.(sql|mjs|json)$/.test(path) || statSync(path).isDirectory()

/** Words for Node that run `foldscan`: compiled within a test run, otherwise from the sources. */
export function foldscanWords(words: readonly string[]): string[] {
  const folder = process.env[variable]
  if (folder === undefined) return ['--import', 'tsx', 'services/cli/main.ts', ...words]
  return ['--enable-source-maps', join(folder, 'services/cli/main.js'), ...words]
}
