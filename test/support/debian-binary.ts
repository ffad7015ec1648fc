import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'

const run = promisify(execFile)

/** Programs that are run from Debian packages: the packages, and the folder in the first. */
const programs = {
  nginx: { packages: ['nginx'], inside: 'usr/sbin' },
  haproxy: { packages: ['haproxy'], inside: 'usr/sbin' },
  wrk: { packages: ['wrk'], inside: 'usr/bin' },
  promtool: { packages: ['prometheus'], inside: 'usr/bin' },
  prometheus: { packages: ['prometheus'], inside: 'usr/bin' },
  patchelf: { packages: ['patchelf'], inside: 'usr/bin' },
  // Without a font no letter has a width.
  'chromium-headless-shell': {
    packages: ['chromium-headless-shell', 'fonts-dejavu-core'],
    inside: 'usr/lib/chromium',
  },
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
  const { file, environment } = await debianFile(name)
  const variables = Object.entries(environment).map(([variable, value]) => `${variable}=${value}`)
  return variables.length === 0
    ? { command: file, args: [] }
    : { command: 'env', args: [...variables, file] }
}

interface DebianFile {
  /** Absolute. */
  readonly file: string
  /** What it needs besides the environment of this process. */
  readonly environment: Readonly<Record<string, string>>
}

/** The same, for what starts programs by their file. @throws if there is none */
export async function debianFile(name: DebianProgram): Promise<DebianFile> {
  const installed = pathOf(name)
  if (installed !== null) return { file: installed, environment: {} }
  const { packages, inside } = programs[name]
  const folder = join(stackHome, `debian-${packages[0]}`)
  await buildOnce(folder, (own) => unpackInto(own, packages))
  const libraries = join(folder, 'usr/lib', `${machine()}-linux-gnu`)
  // Libraries of PulseAudio look for their common part where it would be installed.
  const LD_LIBRARY_PATH = `${libraries}:${libraries}/pulseaudio`
  const environment = { LD_LIBRARY_PATH, XDG_DATA_HOME: join(folder, 'usr/share') }
  return { file: join(folder, inside, name), environment }
}

/** The packages and those that they need and the system lacks. */
async function unpackInto(folder: string, names: readonly string[]): Promise<void> {
  const options = { cwd: folder, timeout: fetchTimeoutMs }
  const wanted = ['install', '--simulate', '--no-install-recommends', ...names]
  const { stdout } = await run('apt-get', wanted, options)
  const packages = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, one = '']) => one)
  await run('apt-get', ['download', ...packages], options)
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.deb'))) {
    await run('dpkg', ['--extract', file, folder], options)
    rmSync(join(folder, file))
  }
}

const machine = (): string => (process.arch === 'arm64' ? 'aarch64' : 'x86_64')

/** Where the PATH has a program; null if nowhere. */
function pathOf(command: string): string | null {
  try {
    const found = execFileSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' })
    return found.trim()
  } catch {
    return null
  }
}
