import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { GroupName } from '../../libs/tables/declare/group-versions.ts'

const top = fileURLToPath(new URL('../../', import.meta.url))
/** Below `node_modules`, so that the compiled modules find their packages. */
const parent = join(top, 'node_modules/.cache')
/** Set for the workers of this run. No setting: services reject unknown ones. */
const variable = 'COMPILED_SERVICES_FOLDER'

/**
 * Compiles the services as the image does, once for all projects of a run of tests and for a
 * benchmark on servers: `foldscan --version` takes 0.22 s of them, 0.54 s of the sources.
 *
 * @returns removes what was compiled
 */
export async function setup(): Promise<() => void> {
  if (process.env[variable] !== undefined) return () => {}
  mkdirSync(parent, { recursive: true })
  removeStale()
  const folder = mkdtempSync(join(parent, `foldscan-${process.pid}-`))
  process.env[variable] = folder
  const compiler = join(top, 'node_modules/.bin/tsc')
  await promisify(execFile)(compiler, ['-p', 'deploy/image/tsconfig.json', '--outDir', folder], {
    cwd: top,
  })
  cpSync(join(top, 'package.json'), join(folder, 'package.json'))
  for (const tree of ['libs', 'services']) {
    cpSync(join(top, tree), join(folder, tree), { recursive: true, filter: isReadAtRunTime })
  }
  return () => {
    delete process.env[variable]
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Folders of interrupted runs: those whose process no longer lives. */
function removeStale(): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^foldscan-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user lives, though it takes no signal from this one.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Queries, the contracts of the demo chain, the status page and `/docs`. */
const isReadAtRunTime = (path: string) =>
  /\.(sql|mjs|json|html|css|js)$/.test(path) || statSync(path).isDirectory()

/**
 * A release whose groups have other versions, and else the same code: what is compiled, with one
 * file changed. Removed with the run's own.
 * @returns the environment in which `foldscanWords` finds it
 */
export function releaseOf(versions: Readonly<Record<GroupName, number>>): Record<string, string> {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error('nothing is compiled')
  const copy = mkdtempSync(join(parent, `foldscan-${process.pid}-`))
  cpSync(folder, copy, { recursive: true })
  const file = join(copy, 'libs/tables/declare/group-versions.js')
  let text = readFileSync(file, 'utf8')
  for (const [group, version] of Object.entries(versions)) {
    const declared = new RegExp(`\\b${group}: \\d+,?$`, 'm')
    if (!declared.test(text)) throw new Error(`no version of ${group} in ${file}`)
    text = text.replace(declared, `${group}: ${version},`)
  }
  writeFileSync(file, text)
  return { [variable]: copy }
}

/** Words for Node that run `foldscan`: compiled after `setup`, otherwise from the sources. */
export function foldscanWords(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const folder = environment[variable] ?? process.env[variable]
  if (folder === undefined) return ['services/cli/foldscan.mjs', ...words]
  return ['--enable-source-maps', join(folder, 'services/cli/main.js'), ...words]
}
