import { execFile, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Longer than any answer of the daemon but those of `build` and `wait`. */
const answerMaxMs = 120_000
const outputBytesMax = 64 * 1024 ** 2
const lastWordsMaxChars = 2_000

/** Runs the client. @returns stdout @throws with its stderr */
export const docker = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: answerMaxMs, maxBuffer: outputBytesMax }
    execFile('docker', [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trim())
      reject(new Error(`docker ${args[0]}: ${stderr.trim().slice(-lastWordsMaxChars) || error}`))
    })
  })

/** As `docker`, without a bound on its time. @param input on its stdin */
export async function dockerLong(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('docker', [...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code === 0) return stdout.trim()
  throw new Error(`docker ${args[0]}: ${(stderr || stdout).trim().slice(-lastWordsMaxChars)}`)
}

/** Everything that a container has logged, stdout and stderr. @param flags of `docker logs` */
export const logsOf = (name: string, ...flags: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: answerMaxMs, maxBuffer: outputBytesMax }
    execFile('docker', ['logs', ...flags, name], options, (error, stdout, stderr) => {
      if (error === null) resolve(`${stdout}${stderr}`)
      else reject(new Error(`docker logs: ${stderr.slice(-lastWordsMaxChars)}`))
    })
  })

/** Why no container can be started here; null if one can. */
export const noDocker = (): Promise<string | null> =>
  docker('version', '--format', '{{.Server.Version}} {{.Server.Os}}').then(
    (server) => (server.endsWith('linux') ? null : `Docker runs ${server}, not Linux containers`),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
