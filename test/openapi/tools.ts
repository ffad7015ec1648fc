import { type ExecFileOptions, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { orSkipped } from '../support/or-skipped.ts'

const run = promisify(execFile)
const installTimeoutMs = 20 * 60_000
const outputBytesMax = 64 * 1024 * 1024

export interface Ended {
  readonly code: number
  /** Both streams, without colours. */
  readonly output: string
}

/** Programs that read openapi.json, and a folder to run them in. */
export interface OpenApiTools {
  /** Removed by `remove`; packages of the set's `package.json` can be imported in it. */
  readonly folder: string
  /** Runs a program of the set or of the PATH, or `python3 -m` of a Python package. */
  run(program: string, ...words: readonly string[]): Promise<Ended>
  remove(): void
}

/**
 * The tools of one spec, a folder of `tools`: a set each, so that no spec waits for what it does
 * not run. Installed once, from npm, PyPI and Go's module proxy, by lock files; offline after that.
 * Null as `orSkipped`.
 */
export function openApiTools(set: string): Promise<OpenApiTools | null> {
  const declared = fileURLToPath(new URL(`tools/${set}/`, import.meta.url))
  const installed = join(stackHome, `openapi-${set}-${digestOf(declared)}`)
  return orSkipped(`tools for openapi.json (${set})`, async () => {
    await buildOnce(installed, (folder) => install(declared, folder))
    return toolsIn(installed)
  })
}

function digestOf(declared: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(declared).sort()) hash.update(readFileSync(join(declared, file)))
  return hash.digest('hex').slice(0, 12)
}

/** With what the set has lock files for. */
async function install(declared: string, folder: string): Promise<void> {
  const options = { timeout: installTimeoutMs, maxBuffer: outputBytesMax }
  const has = (file: string) => existsSync(join(declared, file))
  if (has('package-lock.json')) {
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(declared, file), join(folder, file))
    }
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', words, { ...options, cwd: folder })
  }
  if (has('go.mod')) {
    const env = { ...process.env, GOTOOLCHAIN: 'local' }
    const words = ['build', '-trimpath', '-ldflags=-s -w', '-o', `${join(folder, 'go')}/`, 'tool']
    await run('go', words, { ...options, cwd: declared, env })
  }
  if (has('requirements.txt')) {
    const from = ['--require-hashes', '-r', join(declared, 'requirements.txt')]
    const words = ['-m', 'pip', 'install', '-q', '--target', join(folder, 'python'), ...from]
    await run('python3', words, options)
  }
}

function toolsIn(installed: string): OpenApiTools {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-openapi-'))
  symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'))
  const python = join(installed, 'python')
  const programs = ['node_modules/.bin', 'go', 'python/bin'].map((name) => join(installed, name))
  const env = {
    ...process.env,
    PATH: `${programs.join(':')}:${process.env.PATH ?? ''}`,
    PYTHONPATH: python,
    GOTOOLCHAIN: 'local',
    NO_COLOR: '1',
    CI: 'true',
  }
  const options = { cwd: folder, env, maxBuffer: outputBytesMax }
  return {
    folder,
    run: (program, ...words) => ended(program, words, options),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const ended = (program: string, words: readonly string[], options: ExecFileOptions) =>
  new Promise<Ended>((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0
      const failed = error !== null && code === 0 ? `${error.message}\n` : ''
      resolve({ code: failed === '' ? code : 1, output: `${failed}${stdout}${stderr}` })
    })
  })
