import { writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { stackBinaries } from '../../../deploy/stack/binaries.ts'
import { random } from '../../queries/random.ts'
import { ownPlace } from '../../support/cluster.ts'
import { type DelayingProxy, delayingProxy } from '../../support/delaying-proxy.ts'
import { memoryOf, type ProcessMemory, reportingMemory } from '../../support/memory-of-process.ts'
import { testSeed } from '../../support/seed.ts'
import { until } from '../../support/until.ts'
import { endAll } from '../../up/running.ts'
import { type ChainNode, startChainNode } from '../chain-node.ts'
import { chainPlan } from '../chain-plan.ts'
import { apis, type Deployment, deployment } from '../deployment.ts'
import { differencesFrom, endOrder } from '../end-of-life.ts'
import { publishFacts, settled } from '../facts.ts'
import { serverDelayed, serverHung, serverKilled, serverStopped } from '../faults-of-servers.ts'
import { pagePaths } from '../pages.ts'
import { coin, foes, people, tokens, wrapped } from '../planned-traffic.ts'
import type { Fault, Scene } from '../scene.ts'
import { addressesOf, mended, type Servers, startServers } from '../servers.ts'
import type { Targets } from './attack-requests.ts'
import { Attackers } from './attackers.ts'
import { SeenCursors } from './seen-cursors.ts'
import { SeenPages } from './seen-pages.ts'

/**
 * Two processes of the api on real servers, under requests of every kind, while the servers are
 * stopped, hung, slowed and killed in turn and the chain goes on with reorganisations.
 */

const requestsMin = 50_000
const rounds = 4
const requestsOfRound = requestsMin / (rounds + 1)
/** Those that the attack leaves to faults, and to figures that need a later block to be shown. */
const stepsOfFaults = 60
const requestsOfStep = 277
const stepsOfAttack = Math.floor(requestsMin / requestsOfStep)
const stepsOfPlan = stepsOfAttack + stepsOfFaults
/** In pairs: what is shown again and again has to be cached now and then. */
const stepsAtOnce = 2
const requestsBetweenSteps = Math.ceil((requestsMin * stepsAtOnce) / stepsOfAttack)
const requestsOfFault = Math.floor(requestsOfRound / 4)
const delayMs = 120
const strangersCount = 200
const statuses = [0, 200, 204, 304, 400, 404, 405, 406, 414, 422, 431, 503, 505]
const attackMaxMs = 15 * 60_000
/**
 * What two processes of the api may hold more after an attack than after the first with faults:
 * the first errors load source maps and compile what handles errors, once.
 */
const growthMaxMiB = 4.5
/** What these may load once; 3 to 5 in most runs. */
const loadedOnceMaxMiB = 8
const residentGrowthMaxMiB = 48
/** A reader of single messages holds what it fetched, some MiB, until it was idle for 10 s. */
const idleMaxMs = 15_000

/** The broker first: its clients take longest to be back, and can while others are hurt. */
const hurt = ['kafka', 'clickhouse', 'redis'] as const
type Name = (typeof hurt)[number]
const seed = testSeed
const began = Date.now()
const say = (sentence: string) => {
  const seconds = ((Date.now() - began) / 1_000).toFixed(0).padStart(4)
  writeSync(2, `${seconds} s  ${sentence}\n`)
}
const none = await stackBinaries().then(
  () => null,
  (error: unknown) => String(error),
)
if (none !== null) {
  if (process.env.CI === 'true') throw new Error(none)
  writeSync(2, `\nSkipped the attack: ${none}\n`)
}

const plan = none === null ? chainPlan(random(seed), stepsOfPlan) : []

describe.skipIf(none !== null)(`an api that is attacked (seed ${seed})`, () => {
  let servers: Servers
  let node: ChainNode
  let deployed: Deployment
  let scene: Scene
  let attackers: Attackers
  const proxies = new Map<Name, DelayingProxy>()
  const targets = targetsOf(() => node.head.number)

  beforeAll(async () => {
    say(`seed ${seed}: FOLDSCAN_TEST_SEED=${seed} attacks with the same requests again`)
    servers = await startServers()
    const { stack } = servers
    node = await startChainNode(plan)
    deployed = await deployment(addressesOf(stack), ownPlace(), node)
    const chosen = random(seed)
    const tally = { killsAtRandom: 0 }
    scene = { ...servers, random: chosen, node, deployed, tally, say, tell: async () => 0 }
    const { clickhouse, redis, kafka } = stack
    const clickhouseUrl = new URL(clickhouse.address.url)
    const redisUrl = new URL(redis.address.url)
    for (const [name, port] of [
      ['clickhouse', Number(clickhouseUrl.port)],
      ['redis', redis.address.port],
      ['kafka', Number(kafka.address.brokers[0]?.split(':')[1])],
    ] as const) {
      proxies.set(name, await delayingProxy(port))
    }
    const portOf = (name: Name) => `${proxies.get(name)?.port}`
    clickhouseUrl.port = portOf('clickhouse')
    redisUrl.port = portOf('redis')
    deployed.start(['ingestor', 'ledger', 'state', 'dimensions'])
    deployed.start(apis, {
      ...reportingMemory,
      FOLDSCAN_CLICKHOUSE_URL: clickhouseUrl.href,
      FOLDSCAN_REDIS_URL: redisUrl.href,
      FOLDSCAN_KAFKA_BROKERS: `127.0.0.1:${portOf('kafka')}`,
      // Full after the first round.
      FOLDSCAN_PAGE_CACHE_BYTES_MAX: '2097152',
    })
    await settled(deployed, 1, () => void node.next())
    say('all services run')
    attackers = new Attackers({
      attacked: await Promise.all(
        apis.map(async (name) => {
          const { running } = deployed.service(name)
          return { pid: running.pid, port: Number(new URL(await running.origin()).port) }
        }),
      ),
      targets,
      seed,
      freshest: `/api/v2/tokens/${coin}/transfers`,
      onSent(sent) {
        const due = Math.min(stepsOfAttack, Math.floor(sent / requestsBetweenSteps) * stepsAtOnce)
        for (; steps < due; steps++) node.next()
      },
    })
  }, attackMaxMs)
  afterAll(async () => {
    if (servers !== undefined) await mended(servers)
    endAll()
    await node?.close()
    for (const proxy of proxies.values()) await proxy.close()
    await servers?.stop()
  })
  let steps = 0
  let turn = 1
  const memories: ProcessMemory[] = []

  const memoryOfBoth = async (): Promise<ProcessMemory> => {
    const found = await Promise.all(apis.map((name) => memoryOf(deployed.service(name).running)))
    const sum = (of: (memory: ProcessMemory) => number) =>
      found.reduce((all, memory) => all + of(memory), 0)
    return {
      liveMiB: sum(({ liveMiB }) => liveMiB),
      residentMiB: sum(({ residentMiB }) => residentMiB),
    }
  }
  /** Of a round after the first with faults; there is nothing to compare those before with. */
  const isSound = ({ liveMiB }: ProcessMemory) => {
    const first = memories[1]
    return first === undefined || liveMiB - first.liveMiB < growthMaxMiB
  }
  /** All that was asked has ended: what is left lives on. */
  const rest = async () => {
    turn += 1
    await settled(deployed, turn, () => {
      if (!node.next()) throw new Error('the plan is too short for this attack')
    })
    for (const name of apis) {
      const { running } = deployed.service(name)
      await until(`nothing is left of ${name}`, async () => {
        const text = await (await fetch(`${await running.health()}/metrics`)).text()
        return idle.every((line) => text.includes(line))
      })
    }
    const deadline = Date.now() + idleMaxMs
    let memory = await memoryOfBoth()
    await until('what is idle is closed, or held for ever', async () => {
      if (isSound(memory) || Date.now() > deadline) return true
      memory = await memoryOfBoth()
      return false
    })
    memories.push(memory)
    say(
      `${attackers.sent} requests; memory of both: ${memory.liveMiB.toFixed(1)} MiB live, ` +
        `${memory.residentMiB.toFixed(0)} MiB resident`,
    )
  }
  const attackedBy = async (faults: readonly Fault[], round: number) => {
    expect(memories, 'rounds before this one').toHaveLength(round - 1)
    // The broker may be the first that is hurt.
    await publishFacts(deployed.eventLog, ++turn)
    let isOver = false
    const striking = (async () => {
      for (const fault of faults) {
        say(`${attackers.sent} requests: ${fault.name}`)
        const { count } = attackers.answers
        const undo = await fault.strike(scene)
        await until(
          'enough were answered meanwhile',
          () => attackers.answers.count >= count + requestsOfFault,
          attackMaxMs,
        )
        await undo()
      }
    })().finally(() => {
      isOver = true
    })
    await Promise.all([attackers.run(round * requestsOfRound, () => !isOver), striking])
    await rest()
    await expectSound()
  }
  const expectSound = async () => {
    const { answers } = attackers
    for (const complaint of answers.complaints) say(complaint)
    expect(answers.complaints, `FOLDSCAN_TEST_SEED=${seed}`).toEqual([])
    for (const name of apis) {
      const { lives } = deployed.service(name)
      expect(lives, `${name} has lived on`).toHaveLength(1)
      const faults = lives.flatMap(({ lines }) => lines.filter(({ level }) => level === 'fatal'))
      expect(faults).toEqual([])
      expect((await lives[0]?.get('/health/live'))?.status).toBe(200)
    }
  }

  test('while nothing goes wrong', () => attackedBy([], 1), attackMaxMs)
  test.each([
    ['stopped', (name: Name) => serverStopped(name), 2],
    ['hung', (name: Name) => serverHung(name), 3],
    [
      'slowed',
      (name: Name) => {
        const proxy = proxies.get(name)
        if (proxy === undefined) throw new Error(`no proxy of ${name}`)
        return serverDelayed(name, proxy, delayMs)
      },
      4,
    ],
    ['killed', (name: Name) => serverKilled(name), 5],
  ])(
    'while each server is %s',
    async (_, faultOf, round) => {
      await attackedBy(hurt.map(faultOf), round)
    },
    attackMaxMs,
  )

  test(
    'has answered all kinds of requests, and nothing older than what was announced',
    async () => {
      const { answers, manners, sent } = attackers
      const counts = [...answers.counts]
        .map(([status, count]) => `${count} of ${status}`)
        .join(', ')
      say(`answers: ${counts}; ${answers.judged} judged`)
      say(`requests: ${[...manners].map(([manner, count]) => `${count} ${manner}`).join(', ')}`)
      expect(sent).toBeGreaterThanOrEqual(requestsMin)
      // Others left before, or pipelined what the library does not take.
      expect(answers.judged, 'responses').toBeGreaterThan(sent * 0.8)
      for (const status of statuses) {
        expect(answers.counts.get(status), `answers of ${status}`).toBeGreaterThan(0)
      }
      expect(answers.counts.get(200), 'answers of 200').toBeGreaterThan(sent / 10)
      const complaints = [
        ...(await endOrder(scene, answers.responses)),
        ...(await differencesFrom(scene, pagePaths(plan), null)),
      ]
      for (const complaint of complaints) say(complaint)
      expect(complaints, `FOLDSCAN_TEST_SEED=${seed}`).toEqual([])
    },
    attackMaxMs,
  )

  test('holds no more memory than after the first faults', () => {
    const [calm, first, ...later] = memories
    expect(later).toHaveLength(rounds - 1)
    const loadedOnce = (first?.liveMiB ?? Infinity) - (calm?.liveMiB ?? 0)
    expect(loadedOnce, 'MiB loaded once').toBeLessThan(loadedOnceMaxMiB)
    for (const { liveMiB } of later) {
      expect(liveMiB - (first?.liveMiB ?? 0), 'MiB live').toBeLessThan(growthMaxMiB)
    }
    // What the C library keeps of freed memory goes up and down; a leak only goes up.
    const last = memories.at(-1)?.residentMiB ?? 0
    const before = Math.max(...memories.slice(0, -1).map(({ residentMiB }) => residentMiB))
    expect(last - before, 'MiB resident').toBeLessThan(residentGrowthMaxMiB)
  })

  test(
    'ends in order',
    async () => {
      expect(await deployed.drop()).toEqual([])
    },
    attackMaxMs,
  )
})

const idle = [
  'foldscan_requests_in_flight 0\n',
  'foldscan_page_loads{state="running"} 0\n',
  'foldscan_page_loads{state="waiting"} 0\n',
]

const receipt = z.looseObject({ transactionHash: z.string() })

/** Who and what the plan is about, and many that it is not about. */
function targetsOf(headBlock: () => number): Targets {
  const { below } = random(seed + 1)
  const hex = (bytes: number) =>
    `0x${Array.from({ length: bytes * 2 }, () => below(16).toString(16)).join('')}`
  const blocks = plan.flatMap((step) => step.blocks).filter((_, at) => at % 7 === 0)
  const receipts = z.array(receipt).parse(blocks.flatMap((block) => block.receipts))
  return {
    addresses: [...people, ...tokens, wrapped, ...foes],
    tokens: [...tokens, wrapped, ...foes],
    // Some stand, others lie on branches that were left.
    transactions: receipts.slice(0, strangersCount).map(({ transactionHash }) => transactionHash),
    strangers: {
      addresses: Array.from({ length: strangersCount }, () => hex(20)),
      hashes: Array.from({ length: strangersCount }, () => hex(32)),
    },
    cursors: new SeenCursors(),
    pages: new SeenPages(),
    headBlock,
    tags: [],
  }
}
