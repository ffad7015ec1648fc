import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type DebianBinary, debianBinary } from '../../test/support/debian-binary.ts'
import { processNow } from '../processes.ts'

const run = promisify(execFile)

const summary = z.object({
  requests: z.number(),
  microseconds: z.number(),
  bytes: z.number(),
  errors: z.number(),
  p50: z.number(),
  p99: z.number(),
})

export interface LoadResult {
  readonly perSecond: number
  readonly bytesPerSecond: number
  /** Responses above 399, timeouts, and errors of the socket. */
  readonly errors: number
  /** Processor time of wrk for a request, in us: one core allows no more requests than that. */
  readonly generatorMicroseconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface WrkRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends the requests in turn and prints its summary as JSON. */
const script = (requests: readonly WrkRequest[]) => `
${requests.length === 1 && requests[0] ? sendOne(requests[0]) : sendInTurn(requests)}
done = function(summary, latency)
  local e = summary.errors
  print(string.format('{"requests":%d,"microseconds":%d,"bytes":%d,"errors":%d,"p50":%d,"p99":%d}',
    summary.requests, summary.duration, summary.bytes,
    e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`

/** Without a function that is called for each request, wrk sends twice as many. */
const sendOne = ({ target, headers }: WrkRequest) =>
  [
    `wrk.path = ${quoted(target)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${quoted(value)}`),
  ].join('\n')

const sendInTurn = (requests: readonly WrkRequest[]) => `
local requests = {}
local at = 0
init = function()
  local host = "\\r\\nHost: " .. wrk.host .. "\\r\\n"
${requests.map(prepared).join('\n')}
end
request = function()
  at = at % #requests + 1
  return requests[at]
end`

function prepared({ target, headers }: WrkRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const [first, rest] = [quoted(`GET ${target} HTTP/1.1`), quoted(`${lines.join('')}\r\n`)]
  return `  requests[#requests + 1] = ${first} .. host .. ${rest}`
}

const quoted = (text: string) => JSON.stringify(text)

export interface WrkOptions {
  readonly port: number
  readonly clients: number
  readonly seconds: number
}

/** The load generator wrk with these requests, bound to one processor core. */
export class Wrk {
  private readonly binary: DebianBinary
  private readonly file: string
  private readonly core: number

  private constructor(binary: DebianBinary, file: string, core: number) {
    this.binary = binary
    this.file = file
    this.core = core
  }

  static async prepare(
    folder: string,
    { name, requests, core }: { name: string; requests: readonly WrkRequest[]; core: number },
  ): Promise<Wrk> {
    const file = join(folder, `${name}.lua`)
    await writeFile(file, script(requests))
    return new Wrk(await debianBinary('wrk'), file, core)
  }

  async run({ port, clients, seconds }: WrkOptions): Promise<LoadResult> {
    const { command, args } = this.binary
    const own = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '5s', '-s', this.file]
    const before = processNow(process.pid).endedChildrenCpuMs
    const { stdout } = await run('taskset', [
      ...['-c', String(this.core), command, ...args],
      ...[...own, `http://127.0.0.1:${port}/`],
    ])
    const json = stdout.split('\n').find((line) => line.startsWith('{')) ?? ''
    const { requests, microseconds, bytes, errors, p50, p99 } = summary.parse(JSON.parse(json))
    const duration = microseconds / 1_000_000
    const cpuMs = processNow(process.pid).endedChildrenCpuMs - before
    return {
      perSecond: requests / duration,
      bytesPerSecond: bytes / duration,
      errors,
      generatorMicroseconds: (1_000 * cpuMs) / requests,
      p50Ms: p50 / 1_000,
      p99Ms: p99 / 1_000,
    }
  }
}
