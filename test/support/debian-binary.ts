import { execFile, execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'

const run = promisify(execFile)

/** Programs that are run from Debian packages: the package, and the folder in it. */
const programs = {
  nginx: ['nginx', 'usr/sbin'],
  haproxy: ['haproxy', 'usr/sbin'],
  wrk: ['wrk', 'usr/bin'],
  promtool: ['prometheus', 'usr/bin'],
  patchelf: ['patchelf', 'usr/bin'],
} as const

export type DebianProgram = keyof typeof programs

/** How a program is run: its command and the arguments before its own. */
export interface DebianBinary {
  readonly command: string
  readonly args: readonly string[]
}

const fetchTimeoutMs = 5 * 60_000

/**
 * The program of the PATH, else that of the system's Debian packages, unpacked beside the binaries
 * of the stack: nothing is installed. @throws if there is neither
 */
export async function debianBinary(name: DebianProgram): Promise<DebianBinary> {
  if (isOnPath(name)) return { command: name, args: [] }
  const [debianPackage, inside] = programs[name]
  const folder = join(stackHome, `debian-${debianPackage}`)
  await buildOnce(folder, (own) => unpackInto(own, debianPackage))
  const libraries = join(folder, 'usr/lib', `${machine()}-linux-gnu`)
  return {
    command: 'env',
    args: [`LD_LIBRARY_PATH=${libraries}`, join(folder, inside, name)],
  }
}

/** The package and those that it needs and the system lacks. */
async function unpackInto(folder: string, name: string): Promise<void> {
  const options = { cwd: folder, timeout: fetchTimeoutMs }
  const wanted = ['install', '--simulate', '--no-install-recommends', name]
  const { stdout } = await run('apt-get', wanted, options)
  const packages = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, one = '']) => one)
  await run('apt-get', ['download', ...packages], options)
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.deb'))) {
    await run('dpkg', ['--extract', file, folder], options)
  }
}

const machine = (): string => (process.arch === 'arm64' ? 'aarch64' : 'x86_64')

function isOnPath(command: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
