import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Store } from '../../libs/ports/store.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import type { Subjects } from '../../test/oracle/subjects.ts'
import { processNow } from '../processes.ts'
import { type Figure, figureOf, type Goal } from '../report/result.ts'
import { checkPages, type RequestedPage } from './check-pages.ts'
import { type ForkedServer, forkServer } from './forked-server.ts'
import { comparable, type RecordedResponse, recordResponses } from './recorded-response.ts'
import { type LoadResult, Wrk, type WrkRequest } from './wrk.ts'

/** Cores of the servers, of which one is loaded at a time, and of the load generator. */
const serverCore = 0
const generatorCore = 1
const subjectsPerEndpoint = 4
/** Requests until a page is compressed and known by its raw target. */
const warmUps = 4

/** A script of this folder, as a server on the core of servers. */
export const startServer = (script: string, args: readonly string[]): Promise<ForkedServer> =>
  forkServer(fileURLToPath(new URL(script, import.meta.url)), args, serverCore)

/** A file with the responses, for a bare server. */
export async function writeResponses(folder: string, { name, responses }: Kind): Promise<string> {
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(responses))
  return file
}

interface LoadSizes {
  readonly rounds: number
  readonly seconds: number
  readonly clients: number
}

/** Requests, and the responses that both servers must send. */
export interface Kind {
  readonly name: string
  readonly requests: readonly WrkRequest[]
  readonly responses: readonly RecordedResponse[]
}

export const browser = { accept: 'application/json', 'user-agent': 'wrk/4' }
const page = z.object({ next_page_params: z.record(z.string(), z.unknown()).nullable() })

/** First pages of all endpoints. */
const firstPagesOf = (subjects: Subjects): readonly RequestedPage[] =>
  routes.flatMap(({ path, subject }) =>
    (subject === 'address' && path.includes('/tokens/{')
      ? subjects.tokens
      : subject === 'address'
        ? subjects.addresses
        : subjects.transactions
    )
      .slice(0, subjectsPerEndpoint)
      .map((key) => ({ target: path.replace(/\{.*\}/, key), route: path })),
  )

interface Api {
  readonly store: Store
  readonly port: number
}

/**
 * First pages of all endpoints, compared with naive statements where there are any, and second
 * pages.
 */
export async function targetsOf(subjects: Subjects, { store, port }: Api): Promise<string[]> {
  const pages = firstPagesOf(subjects)
  await checkPages(store, port, pages)
  const first = pages.map(({ target }) => target)
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

/** The same requests again and again, until their responses stay the same. */
export async function kindOf(
  { name, port }: { readonly name: string; readonly port: number },
  of: readonly string[],
  headersOf: (target: string) => Readonly<Record<string, string>>,
): Promise<Kind> {
  return {
    name,
    requests: of.map((target) => ({ target, headers: headersOf(target) })),
    responses: await recordAgain(port, of, headersOf),
  }
}

export async function recordAgain(
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
  readonly sizes: LoadSizes
  /** What the baseline is. */
  readonly part: string
}

const goal: Goal = { of: 'value', bound: 'at least', limit: 0.85 }

/** Both servers in turn, after their responses were compared. */
export async function compare({
  folder,
  kind,
  api,
  bare,
  sizes,
  part,
}: Comparison): Promise<Figure[]> {
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
      baseline: { part, values: turns.map((turn) => value(turn.bare)) },
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
    figure('ceiling of wrk', 'per s', (measured) => 1_000_000 / measured.generatorMicroseconds),
    share(
      'relative throughput',
      turns.map((turn) => turn.api.perSecond / turn.bare.perSecond),
      goal,
    ),
    share(
      'relative processor time',
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
