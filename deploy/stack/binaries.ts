import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pRetry from 'p-retry'
import { buildOnce } from './build-once.ts'
import { StackFailure } from './stack-failure.ts'

/** What of the stack does not come with npm, ready to run. */
export interface Binaries {
  /** A class path with Kafka in it. */
  readonly kafkaClassPath: string
  readonly redisServer: string
}

/** Everything that the local stack keeps: binaries, and the folder of `npm run stack`. */
export const stackHome = fileURLToPath(new URL('../../.foldscan-stack', import.meta.url))

const pom = fileURLToPath(new URL('./pom.xml', import.meta.url))
const fetchTimeoutMs = 5 * 60_000
/** A mirror that hiccups once must not end a run of all tests. */
const fetchRetriesMax = 2
const lastWordsMaxChars = 600

/**
 * Fetches by Maven what is not there yet (43 MB of jars, 26 MB of servers); offline after that.
 * @throws StackFailure: no Java, no Maven, or it could not fetch.
 */
export async function stackBinaries(home: string = stackHome): Promise<Binaries> {
  if (!onPath('java')) throw new StackFailure('Kafka needs Java 17 or later on the PATH')
  const folder = join(home, `binaries-${digestOf(pom)}`)
  await buildOnce(folder, fetchInto)
  return { kafkaClassPath: join(folder, 'kafka', '*'), redisServer: redisIn(folder) }
}

async function fetchInto(folder: string): Promise<void> {
  if (!onPath('mvn')) throw new StackFailure("Maven (mvn) is not on the PATH to fetch Kafka's jars")
  const args = ['-B', '-q', '-f', pom, `-Dstack.binaries=${folder}`, 'package']
  const fetch = () => promisify(execFile)('mvn', args, { timeout: fetchTimeoutMs })
  try {
    await pRetry(fetch, { retries: fetchRetriesMax })
  } catch (error) {
    throw new StackFailure(`Maven could not fetch the stack's binaries: ${lastWords(error)}`)
  }
}

const lastWords = (error: unknown) => {
  const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  return said.replace(/\s+/g, ' ').trim().slice(0, lastWordsMaxChars)
}

/** One from the PATH goes first: it is newer than the one that Maven brings. */
function redisIn(folder: string): string {
  if (onPath('redis-server')) return 'redis-server'
  const name = redisOf[`${platform()}-${arch()}`]
  if (!name) throw new StackFailure('redis-server is not on the PATH, and Maven has none for here')
  const path = join(folder, 'redis', name)
  chmodSync(path, 0o755)
  return path
}

const redisOf: Readonly<Record<string, string>> = {
  'linux-x64': 'redis-server-6.2.6-v5-linux-amd64',
  'linux-arm64': 'redis-server-6.2.7-linux-arm64',
  'darwin-x64': 'redis-server-6.2.6-v5-darwin-amd64',
  'darwin-arm64': 'redis-server-6.2.6-v5-darwin-arm64',
}

const digestOf = (path: string) =>
  createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12)

function onPath(command: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
