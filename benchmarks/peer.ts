import { setTimeout as pause } from 'node:timers/promises'
import { benchmark } from './benchmark.ts'
import { accountsOf, tokensOf } from './generated-chain.ts'
import {
  assertKeys,
  holdersOfToken,
  type NaiveWorld,
  naiveWorld,
  type PeerList,
  transactionsOfAddress,
  transfersOfToken,
} from './peer/both-pages.ts'
import { type BothServers, type PeerServer, startBoth, untilVisible } from './peer/both-servers.ts'
import { type PeerShape, peerTokens } from './peer/peer-chain.ts'
import { recordAgain } from './read/beside-bare.ts'
import { closedLoop } from './read/closed-loop.ts'
import { Wrk } from './read/wrk.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'
import { seededRandom } from './seeded-random.ts'

const browser = { accept: 'application/json', 'user-agent': 'wrk/4' }
const withGzip = { ...browser, 'accept-encoding': 'gzip, deflate, br' }
const generatorCore = 1
/** Blocks that are published before those that are counted. */
const warmUpBlocks = 5
const blockMs = 500
const visibleMaxMs = 60_000
/** Before the first of them both index the chain so far. */
const replayMaxMs = 30 * 60_000
/** One of so many pages is compared with the chain, at least three. */
const checkedShare = 100

interface PeerSizes {
  readonly clients: number
  readonly rounds: number
  readonly seconds: number
  readonly pages: number
}

interface Compared {
  readonly both: BothServers
  readonly world: NaiveWorld
  readonly folder: string
  readonly sizes: PeerSizes
}

export const peer = benchmark({
  name: 'peer',
  about: 'pages and visibility of Foldscan compared with Ponder 0.16.10, over one node',
  method:
    '`foldscan up` and `ponder start` with PostgreSQL index the same chain of ERC-20 transfers ' +
    'from one node, announced over WebSocket. PostgreSQL has 2 GB of shared buffers (512 MB below ' +
    '12 GB of memory), statistics, commits that wait for no disk, and an index in the order of each ' +
    'page, so that each is one range. Blocks are published one at a time, and both are asked every ' +
    '5 ms. Then each server is loaded in turn: hot pages with wrk on one core, plain and as a ' +
    'browser asks, which lets Foldscan compress and Ponder not; random addresses once each, in a ' +
    'closed loop. Pages of both are compared with a computation from the chain.',
  limits:
    'Servers and load generator share the cores. Pages show the same facts, but an item of ' +
    'Foldscan has several times the fields. Ponder caches no page; a proxy before it would. ' +
    'The request rate of its node client adapts, so its replay is not measured.',
  seed: 1,
  needs: 'engine',
  runsAlone: 'it installs Ponder and PostgreSQL from npm, about 260 MB, in 20 to 40 s',
  sizes: {
    blocks: { about: 'blocks before those that are published one at a time', full: 500, quick: 35 },
    transfersPerBlock: { about: 'transfers a block', full: 400, quick: 60 },
    accounts: { about: 'addresses', full: 20_000, quick: 500 },
    live: { about: 'blocks whose visibility is counted', full: 40, quick: 2 },
    rounds: { about: 'turns of each server', full: 5, quick: 1 },
    seconds: { about: 'seconds of a turn', full: 3, quick: 1 },
    clients: { about: 'keep-alive connections', full: 64, quick: 8 },
    pages: { about: 'random addresses a turn', full: 2_000, quick: 60 },
  },
  async run(sizes, context) {
    const last = sizes.blocks + warmUpBlocks + sizes.live
    const { transfersPerBlock, accounts } = sizes
    const shape: PeerShape = { blocks: last, transfersPerBlock, accounts }
    const world = naiveWorld(shape)
    const folder = await (await context.workspace()).folder('peer')
    const both = await startBoth(folder, shape, sizes.blocks)
    try {
      context.progress('installed and started')
      const visible = await visibility(both, world, { first: sizes.blocks + 1, last })
      await both.analyze()
      const compared = { both, world, folder, sizes }
      const address = accountsOf(accounts)[0] ?? ''
      const token = tokensOf(peerTokens)[0] ?? ''
      return [
        ...(await hot(compared, { list: transactionsOfAddress, subject: address, least: 15 })),
        ...(await hot(compared, { list: holdersOfToken, subject: token, least: 5 })),
        ...(await hot(compared, { list: transfersOfToken, subject: token })),
        ...(await cold(compared)),
        ...visible,
      ]
    } finally {
      await both.end()
    }
  },
})

/** Blocks one at a time, the next once both show it. */
async function visibility(
  { foldscan, ponder, publish }: BothServers,
  { lastTokens }: NaiveWorld,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Figure[]> {
  const times: { foldscan: number; ponder: number }[] = []
  for (let block = first; block <= last; block++) {
    const path = transfersOfToken.path(lastTokens.get(block) ?? '')
    const publishedAt = performance.now()
    publish(block)
    const seen = (server: PeerServer) =>
      untilVisible({ server, path, block, boundMs: block === first ? replayMaxMs : visibleMaxMs })
    const [one, other] = await Promise.all([seen(foldscan), seen(ponder)])
    times.push({ foldscan: one - publishedAt, ponder: other - publishedAt })
    await pause(Math.max(0, publishedAt + blockMs - performance.now()))
  }
  const counted = times.slice(warmUpBlocks)
  const part = { part: 'Ponder' }
  return [
    figureOf({
      name: 'published to visible',
      unit: 'ms',
      values: counted.map((time) => time.foldscan),
      baseline: { ...part, values: counted.map((time) => time.ponder) },
      goal: { of: 'ratio', bound: 'at most', limit: 1 },
      checkedAnswers: 2 * counted.length,
    }),
    figureOf({
      name: 'published to visible, slowest',
      unit: 'ms',
      values: [Math.max(...counted.map((time) => time.foldscan))],
      baseline: { ...part, values: [Math.max(...counted.map((time) => time.ponder))] },
      checkedAnswers: 2 * counted.length,
    }),
  ]
}

/** A value of each turn. */
interface OfBoth {
  readonly foldscan: number[]
  readonly ponder: number[]
}

interface HotPage {
  readonly list: PeerList
  readonly subject: string
  /** Goal: times Ponder's pages. */
  readonly least?: number
}

async function hot(compared: Compared, { list, subject, least }: HotPage): Promise<Figure[]> {
  const { both, folder, sizes } = compared
  const name = `hot ${list.name}`
  const goal: Goal | undefined =
    least === undefined ? undefined : { of: 'ratio', bound: 'at least', limit: least }
  const figures: Figure[] = []
  for (const [form, headers] of Object.entries({ plain: browser, browser: withGzip })) {
    const rates: OfBoth = { foldscan: [], ponder: [] }
    for (const server of [both.foldscan, both.ponder]) {
      const target = server.prefix + list.path(subject)
      await checkPage(compared, { server, list, subject })
      await recordAgain(server.port, [target], () => headers)
    }
    for (let round = 0; round < sizes.rounds; round++) {
      for (const side of ['foldscan', 'ponder'] as const) {
        const { port, prefix } = both[side]
        const requests = [{ target: prefix + list.path(subject), headers }]
        const wrk = await Wrk.prepare(folder, { name: side, requests, core: generatorCore })
        const { perSecond, errors } = await wrk.run({ port, ...sizes })
        if (errors > 0) throw new Error(`${errors} requests of ${name} failed`)
        rates[side].push(perSecond)
      }
    }
    figures.push(
      figureOf({
        name: `${name}, ${form === 'plain' ? 'plain' : 'as a browser asks'}`,
        unit: 'pages/s',
        values: rates.foldscan,
        baseline: { part: 'Ponder', values: rates.ponder },
        goal,
        checkedAnswers: 2,
      }),
    )
  }
  return figures
}

interface Page {
  readonly server: PeerServer
  readonly list: PeerList
  readonly subject: string
}

async function checkPage({ world, both }: Compared, { server, list, subject }: Page) {
  const target = server.prefix + list.path(subject)
  const [response] = await recordAgain(server.port, [target], () => browser)
  const body = Buffer.from(response?.body ?? '', 'base64')
  const keyOf = server === both.foldscan ? list.keyOfFoldscan : list.keyOfPonder
  assertKeys(`${server.name}, ${target}`, body, { keyOf, keys: list.expected(world, subject) })
}

/** Addresses that were never asked for, in an order of chance. */
async function cold(compared: Compared): Promise<Figure[]> {
  const { both, world, sizes } = compared
  const list = transactionsOfAddress
  const random = seededRandom(1)
  const subjects = [...world.sent.keys()]
    .slice(1)
    .map((subject) => ({ subject, at: random.below(1e9) }))
  subjects.sort((one, other) => one.at - other.at)
  const names = ['foldscan', 'ponder'] as const
  const rates: OfBoth = { foldscan: [], ponder: [] }
  const p99: OfBoth = { foldscan: [], ponder: [] }
  const pages = Math.min(sizes.pages, Math.floor(subjects.length / sizes.rounds))
  const every = Math.max(1, Math.min(checkedShare, Math.floor(pages / 3)))
  let checkedAnswers = 0
  for (let round = 0; round < sizes.rounds; round++) {
    const turn = subjects.slice(round * pages, (round + 1) * pages)
    for (const name of names) {
      const { port, prefix } = both[name]
      const targets = turn.map(({ subject }) => prefix + list.path(subject))
      const { perSecond, p99Ms } = await closedLoop({ port, clients: sizes.clients, targets })
      rates[name].push(perSecond)
      p99[name].push(p99Ms)
      for (const { subject } of turn.filter((_, at) => at % every === 0)) {
        await checkPage(compared, { server: both[name], list, subject })
        checkedAnswers += 1
      }
    }
  }
  const of = (values: OfBoth) => ({
    values: values.foldscan,
    baseline: { part: 'Ponder', values: values.ponder },
    checkedAnswers,
  })
  const goal: Goal = { of: 'ratio', bound: 'at least', limit: 1 }
  const name = `random ${list.name}, first time`
  return [
    figureOf({ name, unit: 'pages/s', ...of(rates), goal }),
    figureOf({ name: `${name}, p99`, unit: 'ms', ...of(p99) }),
  ]
}
