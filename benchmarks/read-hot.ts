import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { routes } from '../services/api/endpoints/routes.ts'
import type { Subjects } from '../test/oracle/subjects.ts'
import { processNow } from './processes.ts'
import { type ForkedServer, forkServer } from './read/forked-server.ts'
import { foldMainnet } from './read/mainnet-tables.ts'
import { comparable, type RecordedResponse, recordResponses } from './read/recorded-response.ts'
import { type LoadResult, Wrk, type WrkRequest } from './read/wrk.ts'
import { machine, openWorkspace } from './workspace.ts'

export interface ReadHotOptions {
  /** Turns of each server and kind of request. */
  readonly rounds: number
  readonly seconds: number
  readonly clients: number
}

const line = (text: string) => process.stdout.write(`${text}\n`)
const fileOf = (name: string) => fileURLToPath(new URL(`./read/${name}`, import.meta.url))

/** Cores of the servers, of which one is loaded at a time, and of the load generator. */
const serverCore = 0
const generatorCore = 1
const subjectsPerEndpoint = 4
/** Requests until a page is compressed and known by its raw target. */
const warmUps = 4

/** `npm run bench -- read-hot`: unchanged pages, beside the bare HTTP library. */
export async function benchReadHot(options: ReadHotOptions): Promise<void> {
  const workspace = await openWorkspace()
  const servers: ForkedServer[] = []
  try {
    line(`machine: ${machine()}`)
    line(
      `wrk, one thread, ${options.clients} keep-alive connections, on core ${generatorCore}, ` +
        `servers on core ${serverCore}; ${options.rounds} rounds of ${options.seconds} s in turn`,
    )
    const subjects = await foldMainnet(await workspace.store('hot'))
    const { url, username, password } = workspace.address
    const api = await forkServer(
      fileOf('api-process.ts'),
      [url, username, password, 'hot'],
      serverCore,
    )
    servers.push(api)
    const targets = await targetsOf(subjects, api.port)
    const folder = await workspace.folder('hot')
    for (const kind of await kindsOf(api.port, targets)) {
      const bare = await startBare(folder, kind)
      servers.push(bare)
      await compare({ folder, kind, api, bare, options })
    }
  } finally {
    for (const server of servers) await server.end()
    await workspace.end()
  }
}

/** Requests, and the responses that both servers must send. */
interface Kind {
  readonly name: string
  readonly requests: readonly WrkRequest[]
  readonly responses: readonly RecordedResponse[]
}

const browser = { accept: 'application/json', 'user-agent': 'wrk/4' }
const page = z.object({ next_page_params: z.record(z.string(), z.unknown()).nullable() })

/** First pages of all endpoints, and second pages where there are any. */
async function targetsOf(subjects: Subjects, port: number): Promise<string[]> {
  const first = routes.flatMap(({ path, subject }) =>
    (subject === 'address' && path.includes('/tokens/{')
      ? subjects.tokens
      : subject === 'address'
        ? subjects.addresses
        : subjects.transactions
    )
      .slice(0, subjectsPerEndpoint)
      .map((key) => path.replace(/\{.*\}/, key)),
  )
  const responses = await recordResponses(port, first, () => browser)
  return responses.flatMap(({ target, status, body }) => {
    if (status !== 200) return []
    const parsed = page.safeParse(JSON.parse(Buffer.from(body, 'base64').toString()))
    const next = parsed.success ? parsed.data.next_page_params : null
    if (next === null) return [target]
    const query = Object.entries(next).flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${encodeURIComponent(String(value))}`],
    )
    return [target, `${target}?${query.join('&')}`]
  })
}

async function kindsOf(port: number, targets: readonly string[]): Promise<Kind[]> {
  const record = (headersOf: (target: string) => Readonly<Record<string, string>>) =>
    recordAgain(port, targets, headersOf)
  const gzip = { ...browser, 'accept-encoding': 'gzip, deflate, br' }
  const compressed = await record(() => gzip)
  const tags = new Map(
    compressed.map(({ target, headers }) => [target, new Map(headers).get('etag') ?? '']),
  )
  const conditional = (target: string) => ({ ...gzip, 'if-none-match': tags.get(target) ?? '' })
  const token = targets.filter((target) => /\/tokens\/0x\w+$/.test(target)).slice(0, 1)
  const kind = async (
    name: string,
    of: readonly string[],
    headersOf: (target: string) => Readonly<Record<string, string>>,
  ) => ({
    name,
    requests: of.map((target) => ({ target, headers: headersOf(target) })),
    responses: await recordAgain(port, of, headersOf),
  })
  return [
    await kind('ten endpoints', targets, () => browser),
    await kind('ten endpoints, gzip', targets, () => gzip),
    await kind('ten endpoints, 304', targets, conditional),
    await kind('one token', token, () => browser),
  ]
}

async function recordAgain(
  port: number,
  targets: readonly string[],
  headersOf: (target: string) => Readonly<Record<string, string>>,
): Promise<RecordedResponse[]> {
  for (let time = 1; time < warmUps; time++) await recordResponses(port, targets, headersOf)
  return recordResponses(port, targets, headersOf)
}

async function startBare(folder: string, { name, responses }: Kind): Promise<ForkedServer> {
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(responses))
  return forkServer(fileOf('bare-server.ts'), [file], serverCore)
}

interface Comparison {
  readonly folder: string
  readonly kind: Kind
  readonly api: ForkedServer
  readonly bare: ForkedServer
  readonly options: ReadHotOptions
}

async function compare({ folder, kind, api, bare, options }: Comparison): Promise<void> {
  const { name, requests, responses } = kind
  await checkEqual(kind, [api, bare])
  const wrk = await Wrk.prepare(folder, { name, requests, core: generatorCore })
  const { clients, seconds } = options
  const measured = async ({ port, pid }: ForkedServer) => {
    const before = processNow(pid).cpuMs
    const result = await wrk.run({ port, clients, seconds })
    const cpuMs = processNow(pid).cpuMs - before
    if (result.errors > 0) throw new Error(`${result.errors} requests of ${name} failed`)
    return { ...result, cpuMicroseconds: (1_000 * cpuMs) / (result.perSecond * seconds) }
  }
  const turns: { api: Measured; bare: Measured }[] = []
  for (let round = 0; round < options.rounds; round++) {
    turns.push({ api: await measured(api), bare: await measured(bare) })
  }
  const bytes = responses.reduce((sum, { body }) => sum + body.length * 0.75, 0)
  line(`\n${name}: ${responses.length} responses, ${Math.round(bytes / responses.length)} bytes`)
  for (const server of ['api', 'bare'] as const) {
    const of = (value: (measured: Measured) => number) => spread(turns.map((t) => value(t[server])))
    line(
      `  ${server.padEnd(5)} ${shown(of(({ perSecond }) => perSecond))}/s, ` +
        `${shown(
          of(({ cpuMicroseconds }) => cpuMicroseconds),
          1,
        )} us of processor time, ` +
        `p99 ${shown(
          of(({ p99Ms }) => p99Ms),
          1,
        )} ms`,
    )
  }
  const ratio = spread(turns.map((turn) => turn.api.perSecond / turn.bare.perSecond))
  const cpuRatio = spread(turns.map((turn) => turn.bare.cpuMicroseconds / turn.api.cpuMicroseconds))
  line(`  of bare: rate ${shown(ratio, 2)}, by processor time ${shown(cpuRatio, 2)}`)
}

interface Measured extends LoadResult {
  /** Of the server, per request. */
  readonly cpuMicroseconds: number
}

/** @throws where a server does not send what was recorded, in status, headers or body */
async function checkEqual({ name, requests, responses }: Kind, servers: readonly ForkedServer[]) {
  const headers = new Map(requests.map((request) => [request.target, request.headers]))
  for (const { port } of servers) {
    const targets = requests.map(({ target }) => target)
    const sent = await recordResponses(port, targets, (target) => headers.get(target) ?? {})
    for (const [at, response] of sent.entries()) {
      const expected = responses[at]
      if (expected === undefined || comparable(response) !== comparable(expected)) {
        throw new Error(`${name}: responses to ${response.target} differ`)
      }
    }
  }
}

interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
  return { median: at(0.5), min: at(0), max: at(1) }
}

const shown = ({ median, min, max }: Spread, digits = 0): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`
