import { rmSync, writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { subjectsOf } from '../../services/api/examples/subjects.ts'
import { startDemoChain } from '../../services/demo-chain/demo-chain.ts'
import type { DemoChain } from '../../services/demo-chain/demo-chain-port.ts'
import { alike } from '../services/alike.ts'
import { type Question, questionsOf } from '../services/questions.ts'
import { cluster, ownPlace } from '../support/cluster.ts'
import { dropTestDatabase } from '../support/engine.ts'
import { projectorOf } from '../support/projector-of.ts'
import { endAll, freshFolder, type Running, startUp } from '../up/running.ts'
import { docker } from './docker.ts'
import { judged } from './judged-answers.ts'
import { MemoryOfPods } from './memory-of-pods.ts'
import { movingChain } from './moving-chain.ts'
import { startReaders } from './readers.ts'
import {
  nextImage,
  type ReleaseOnServers,
  releaseName,
  releaseOnServers,
} from './release-on-servers.ts'
import { firstLineMs, seenOf, statusOf } from './seen-of-pods.ts'

const place = ownPlace()
const quiet = { info: () => {}, error: () => {} }
const subjectsEach = 3
const readersCount = 8
/** How long a node may go on leading connections to a pod that ends; `api.preStopSeconds` is 5. */
const lateMs = 3_000
const say = (sentence: string) => writeSync(2, `${sentence}\n`)

describe('a release of the chart, its pods as containers', () => {
  let chain: DemoChain
  let up: Running
  let own: ReleaseOnServers
  let questions: Question[]
  const folder = freshFolder()

  beforeAll(async () => {
    chain = await startDemoChain({
      seed: 11,
      backlogTransactions: 700,
      genesisTime: 1_700_000_000,
      blockIntervalMs: null,
      log: quiet,
    })
    questions = await questionsOfChain(chain)
    own = await releaseOnServers({ servers: cluster(), place, nodeUrl: chain.url })
    up = startUp({ source: chain.url, 'data-dir': folder, 'figures-step-seconds': '0' })
  })
  afterAll(async () => {
    await own?.release.drop()
    endAll()
    await chain?.stop()
    rmSync(folder, { recursive: true, force: true })
    await dropTestDatabase(cluster().clickhouse, place.database)
  })

  const apis = (is: 'isReady' | 'isServing', late?: number) =>
    own.release
      .podsOf(`${releaseName}-api`)
      .filter((pod) => pod[is](late))
      .map(({ origins }) => origins.http ?? '')
  const chainOf = (paths: readonly string[]) =>
    movingChain({ chain, up, paths, pods: () => apis('isServing') })

  it('runs topics and migrations, then every service until it is ready', async () => {
    await own.release.apply(own.values)
    const ready = [...own.release.pods.values()].filter(({ pod }) => pod.isReady())
    expect(ready.map(({ workload }) => workload.replace(`${releaseName}-`, '')).sort()).toEqual([
      ...['api', 'api', 'enricher', 'ingestor'],
      ...[projectorOf('dimensions'), projectorOf('ledger'), projectorOf('state')],
    ])
    const again = await own.release.runJobs(own.values)
    expect(again.map(({ code }) => code)).toEqual([0, 0])
  })

  it('answers all ten endpoints byte for byte as the embedded form does', async () => {
    await chainOf([]).arrive()
    const seen = await alike([await up.origin(), ...apis('isReady')], questions)
    expect(seen.differences).toEqual([])
    expect(seen.answers).toBeGreaterThan(200)
    expect(seen.laterPages).toBeGreaterThan(80)
  })

  it('is upgraded without a failed request, and without a stale or wrong answer', async () => {
    const { release } = own
    const paths = questions.map((one) => `${one.path}?${new URLSearchParams(one.parameters)}`)
    const moving = chainOf(paths)
    await moving.arrive()
    const memory = new MemoryOfPods(release)
    const rest = await memory.sample()
    const endpoints = () => apis('isReady', lateMs)
    const readers = startReaders({ count: readersCount, paths, endpoints })
    memory.start()
    let isUpgrading = true
    const mining = (async () => {
      while (isUpgrading) {
        await readers.lap()
        await moving.next()
      }
    })()
    const upgraded: string[] = []
    await release.apply({ ...own.values, image: nextImage }, async (name) => {
      upgraded.push(name.replace(`${releaseName}-`, ''))
    })
    isUpgrading = false
    await mining
    await readers.lap()
    await readers.stop()
    const load = await memory.stop()
    const { complaints, between, strict } = judged(readers.received, moving.right, moving.shown)
    say(
      `${readers.received.length} answers while ${upgraded.join(', ')} were upgraded and ` +
        `${moving.shown.length} blocks came: ${strict} while no block was on its way, ${between.length} ` +
        `of neither block while one was, ${readers.refused()} refused connections`,
    )
    for (const one of between.slice(0, 10)) say(`  ${one}`)
    for (const [workload, mib] of load) {
      say(`memory of ${workload}: ${rest.get(workload)} MiB before, at most ${mib} MiB`)
    }
    expect(complaints).toEqual([])
    expect(readers.failed).toEqual([])
    expect(release.complaints).toEqual([])
    expect(upgraded).toEqual([
      ...[projectorOf('dimensions'), projectorOf('ledger'), projectorOf('state')],
      ...['ingestor', 'enricher', 'api'],
    ])
    expect(strict).toBeGreaterThan(readers.received.length / 10)
    const images = [...release.pods.values()].map(({ pod }) => imageOf(pod.name))
    expect(new Set(await Promise.all(images))).toEqual(new Set([image]))
  })

  it('answers byte for byte as the embedded form does after that, too', async () => {
    const seen = await alike([await up.origin(), ...apis('isReady')], questions)
    expect(seen.differences).toEqual([])
  })

  it('passes its own test', async () => {
    const logs = await own.release.test(own.values)
    expect(logs.join('')).toMatch(
      /topics have the required settings\n200 .*\n200 .*\nblock \d+ of \S+ is \d+ s old, at most 600\n$/,
    )
  })

  it('has processes without any right', async () => {
    for (const { pod } of own.release.pods.values()) {
      const status = await statusOf(pod)
      expect([pod.name, status.get('Uid')?.split('\t')]).toEqual([pod.name, Array(4).fill('65532')])
      expect(Number.parseInt(status.get('CapEff') ?? '', 16)).toBe(0)
      expect([status.get('NoNewPrivs'), status.get('Seccomp')]).toEqual(['1', '2'])
    }
  })

  it('shows no secret in objects, arguments, variables, logs or metrics', async () => {
    const seen = await seenOf(own.release)
    const places = (text: string) =>
      seen.filter((one) => one.text.includes(text)).map((o) => o.where)
    for (const canary of own.canaries) expect(places(canary)).toEqual([])
    expect(own.canaries.every((canary) => canary.length > 15)).toBe(true)
    // What is no secret is found there.
    expect(places(place.database).length).toBeGreaterThan(5)
    expect(seen.map(({ where }) => where)).toContain(`log of ${releaseName}-migrations`)
  })

  it('logs its first line soon', async () => {
    const took: number[] = []
    const brief = { ...own.values, api: { preStopSeconds: 0, settings: { drainSeconds: 0 } } }
    for (let times = 0; times < 5; times++) {
      const pod = await own.release.startPodOf(`${releaseName}-api`, brief)
      await pod.ready
      took.push(await firstLineMs(pod))
      await pod.end()
    }
    const [least, , median, , most] = took.sort((one, other) => one - other).map(Math.round)
    say(`first log line of an api: ${median} ms after its start, ${least} to ${most} ms in 5 times`)
    say(`image: ${Number(await docker('image', 'inspect', '-f', '{{.Size}}', image)) / 1e6} MB`)
  })

  it('ends with exit code 0 when it is asked to', async () => {
    const ends = [...own.release.pods.values()].map(({ pod }) => pod.end())
    for (const end of await Promise.all(ends)) {
      expect(end).toMatchObject({ code: 0, isKilled: false })
    }
  })
})

const image = `${nextImage.repository}:${nextImage.tag}`
const imageOf = (name: string) => docker('inspect', '-f', '{{.Config.Image}}', name)

async function questionsOfChain(chain: DemoChain): Promise<Question[]> {
  const source = await rpcSource({ url: chain.url })
  const numbers = Array.from({ length: chain.head().number }, (_, at) => at + 1)
  const blocks = await Promise.all(numbers.map((number) => source.block(number)))
  await source.close()
  return questionsOf(await subjectsOf(blocks.flatMap((block) => block ?? [])), subjectsEach)
}
