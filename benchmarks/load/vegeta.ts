import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { type VegetaReport, vegetaReport } from './thresholds.ts'

const run = promisify(execFile)
const tools = fileURLToPath(new URL('../../test/load/tools/', import.meta.url))
const module = 'github.com/tsenart/vegeta/v12'
/** Half a minute of one core with the download. */
const buildTimeoutMs = 10 * 60_000

/** Builds vegeta from Go's module proxy, once. @returns the path of the program */
export async function builtVegeta(): Promise<string> {
  const sums = readFileSync(join(tools, 'go.sum'))
  const digest = createHash('sha256').update(sums).digest('hex').slice(0, 12)
  const folder = join(stackHome, `vegeta-${digest}`)
  const build = ['build', '-trimpath', '-ldflags=-s -w', '-o']
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  const options = { cwd: tools, timeout: buildTimeoutMs, env }
  await buildOnce(folder, (own) => run('go', [...build, `${own}/`, module], options))
  // Go names a program after the module, without its version.
  return join(folder, 'vegeta')
}

export interface Attack {
  /** Path of vegeta. */
  readonly program: string
  /** File of requests, in vegeta's JSON format; they are repeated from its start. */
  readonly targets: string
  /** File that the result of each request is written to. */
  readonly results: string
  /** Requests a second. */
  readonly rate: number
  readonly seconds: number
}

/** Of one request; the API's own deadline is 10 s. */
const timeoutSeconds = 15
const reportBytesMax = 16 * 1024 * 1024

/** An open loop: each request begins at its time, however long earlier ones take. */
export async function attacked(attack: Attack): Promise<VegetaReport> {
  const { program, targets, results, rate, seconds } = attack
  await run(program, [
    'attack',
    ...['-format=json', `-targets=${targets}`, `-output=${results}`],
    ...[`-rate=${rate}/s`, `-duration=${seconds}s`, `-timeout=${timeoutSeconds}s`],
    // Bodies are read, and not kept.
    ...['-max-body=0', '-redirects=0', '-http2=false'],
  ])
  const options = { maxBuffer: reportBytesMax }
  const { stdout } = await run(program, ['report', '-type=json', results], options)
  return vegetaReport.parse(JSON.parse(stdout))
}
