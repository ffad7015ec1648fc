import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { routes } from '../services/api/endpoints/routes.ts'
import type { Subjects } from '../test/oracle/subjects.ts'
import { benchmark } from './benchmark.ts'
import { processNow } from './processes.ts'
import { type ForkedServer, forkServer } from './read/forked-server.ts'
import { foldMainnet } from './read/mainnet-tables.ts'
import { comparable, type RecordedResponse, recordResponses } from './read/recorded-response.ts'
import { type LoadResult, Wrk, type WrkRequest } from './read/wrk.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`./read/${name}`, import.meta.url))

/** Cores of the servers, of which one is loaded at a time, and of the load generator. */
const serverCore = 0
const generatorCore = 1
const subjectsPerEndpoint = 4
/** Requests until a page is compressed and known by its raw target. */
const warmUps = 4

export const readHot = benchmark({
  name: 'read-hot',
  about: 'unchanged pages of all endpoints, beside the bare HTTP library',
  method:
    'A process of the API with pages of twelve real blocks, and a process of uWebSockets.js that ' +
    'sends the same bytes and headers from a map by raw target, both on one core; wrk with one ' +
    'thread and keep-alive connections on the other. In turn, the share of bare taken in each ' +
    'round. Status, headers and body of every response are compared first.',
  limits:
    'No page changes meanwhile. wrk and a script of many targets cost about as much processor ' +
    'time as a response: where it is the limit, rates say nothing and processor time counts.',
  seed: null,
  needs: 'engine',
  sizes: {
    rounds: { about: 'turns of each server', full: 5, quick: 1 },
    seconds: { about: 'seconds of a turn', full: 3, quick: 1 },
    clients: { about: 'keep-alive connections', full: 64, quick: 8 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const subjects = await foldMainnet(await workspace.store('hot'))
    context.progress('blocks folded')
    const { url, username, password } = workspace.address
    const servers: ForkedServer[] = []
    const start = async (name: string, args: readonly string[]) => {
      const server = await forkServer(fileOf(name), args, serverCore)
      servers.push(server)
      return server
    }
    try {
      const api = await start('api-process.ts', [url, username, password, 'hot'])
      const targets = await targetsOf(subjects, api.port)
      const folder = await workspace.folder('hot')
      const figures: Figure[] = []
      for (const kind of await kindsOf(api.port, targets)) {
        const file = join(folder, `${kind.name}.json`)
        await writeFile(file, JSON.stringify(kind.responses))
        const bare = await start('bare-server.ts', [file])
        context.progress(kind.name)
        figures.push(...(await compare({ folder, kind, api, bare, sizes })))
      }
      return figures
    } finally {
      for (const server of servers) await server.end()
    }
  },
})

interface ReadHotSizes {
  readonly rounds: number
  readonly seconds: number
  readonly clients: number
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

interface Comparison {
  readonly folder: string
  readonly kind: Kind
  readonly api: ForkedServer
  readonly bare: ForkedServer
  readonly sizes: ReadHotSizes
}

const goal: Goal = { of: 'value', bound: 'at least', limit: 0.85 }

async function compare({ folder, kind, api, bare, sizes }: Comparison): Promise<Figure[]> {
  const { name, requests, responses } = kind
  await checkEqual(kind, [api, bare])
  const wrk = await Wrk.prepare(folder, { name, requests, core: generatorCore })
  const { clients, seconds } = sizes
  const measured = async ({ port, pid }: ForkedServer): Promise<Measured> => {
    const before = processNow(pid).cpuMs
    const result = await wrk.run({ port, clients, seconds })
    const cpuMs = processNow(pid).cpuMs - before
    if (result.errors > 0) throw new Error(`${result.errors} requests of ${name} failed`)
    return { ...result, cpuMicroseconds: (1_000 * cpuMs) / (result.perSecond * seconds) }
  }
  const turns: { api: Measured; bare: Measured }[] = []
  for (let round = 0; round < sizes.rounds; round++) {
    turns.push({ api: await measured(api), bare: await measured(bare) })
  }
  const figure = (of: string, unit: string, value: (measured: Measured) => number) =>
    figureOf({
      name: `${name}, ${of}`,
      unit,
      values: turns.map((turn) => value(turn.api)),
      baseline: { part: 'bare uWebSockets.js', values: turns.map((turn) => value(turn.bare)) },
      checkedAnswers: responses.length,
    })
  const share = (of: string, values: readonly number[], judged?: Goal) =>
    figureOf({
      ...{ name: `${name}, ${of}`, unit: 'of bare', values, goal: judged },
      checkedAnswers: responses.length,
    })
  return [
    figure('responses', 'per s', ({ perSecond }) => perSecond),
    figure('processor time of the server', 'us', ({ cpuMicroseconds }) => cpuMicroseconds),
    figure('p99', 'ms', ({ p99Ms }) => p99Ms),
    share(
      'share by rate',
      turns.map((turn) => turn.api.perSecond / turn.bare.perSecond),
      goal,
    ),
    share(
      'share by processor time',
      turns.map((turn) => turn.bare.cpuMicroseconds / turn.api.cpuMicroseconds),
      goal,
    ),
  ]
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
