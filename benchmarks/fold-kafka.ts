import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventLog, LogMessage } from '../libs/ports/event-log.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { until } from '../test/support/until.ts'
import { benchmark } from './benchmark.ts'
import { append, type Cluster, metricOf } from './cluster.ts'
import { assertChain } from './fold/assert-chain.ts'
import {
  allCpu,
  assertEqualRows,
  bare,
  foldAll,
  groups,
  newRecordings,
  shape,
} from './fold/folding.ts'
import { generatedChain } from './generated-chain.ts'
import { processNow } from './processes.ts'
import { type Figure, figureOf } from './report/result.ts'

/** Blocks of one call: some megabytes. */
const appendMessages = 8
const lookMs = 100
/** A busy machine takes its time. */
const foldMaxMs = 6 * 60 * 60 * 1_000

export const foldKafka = benchmark({
  name: 'fold-kafka',
  about:
    'the same chain from Kafka into ClickHouse by the services, compared with decoding and inserting',
  method:
    'A projector of each group, as deployed, folds the chain of `fold` from a topic into ' +
    'ClickHouse. The same inserts, recorded in a run before, are repeated beside decoding the ' +
    'topic alone, with nothing folded. All tables of both runs are compared, and first pages of ' +
    'holders and transfers with the sums and the logs of the chain.',
  limits:
    'Time and processor time include the start of the services, some two seconds each. Kafka, ' +
    'ClickHouse and the services share the cores of one machine; one broker, one replica.',
  seed: shape.seed,
  needs: 'cluster',
  sizes: { transfers: { about: 'transfers of the chain', full: 5_000_000, quick: 4_000 } },
  async run({ transfers }, context) {
    const cluster = await context.cluster()
    const last = await publish(cluster.eventLog, transfers)
    context.progress(`${transfers} transfers in ${last} blocks`)
    const folded = await foldByServices(cluster, last)
    context.progress(`folded in ${folded.seconds.toFixed(1)} s`)
    const { ClickHouse: enginePid = 0 } = cluster.servers
    const folder = async (name: string) => {
      const path = join(cluster.folder, name)
      await mkdir(path)
      return path
    }
    const recordings = await newRecordings(folder, 'recording')
    const recorded = await cluster.store('recorded')
    const stores = recordings.map((recording) => recording.over(recorded))
    await foldAll({
      enginePid,
      folder,
      name: 'state',
      eventLog: cluster.eventLog,
      stores,
      last,
      isInTurn: true,
    })
    const replayed = await cluster.store('bare')
    const bareRun = await bare({
      enginePid,
      eventLog: cluster.eventLog,
      store: replayed,
      recordings,
    })
    const tables = cluster.tables()
    const rows = await assertEqualRows(tables, replayed).finally(() => tables.close())
    context.progress(`${rows} rows on both sides, equal`)
    await assertChain(replayed, { ...shape, transfers })
    return figuresOf({ transfers, rows, folded, bare: bareRun })
  },
})

/** @returns the sequence of the last message, which is its block number. */
async function publish(eventLog: EventLog, transfers: number): Promise<number> {
  let [last, messages]: [number, LogMessage[]] = [0, []]
  for (const message of generatedChain({ ...shape, transfers })) {
    last = message.block.number
    messages.push({ key: `${message.chainId}`, value: encodeMessage(message) })
    if (messages.length < appendMessages) continue
    await append(eventLog, 'blocks', messages)
    messages = []
  }
  if (messages.length > 0) await append(eventLog, 'blocks', messages)
  return last
}

interface Times {
  readonly seconds: number
  /** Of the projectors. */
  readonly cpuSeconds: number
  readonly engineCpuSeconds: number
}

interface Services extends Times {
  readonly kafkaCpuSeconds: number
  /** Until each group was at the end, by its name. */
  readonly secondsOfGroups: ReadonlyMap<string, number>
}

/** From the start of the services until both are at the end; they are ended then. */
async function foldByServices(cluster: Cluster, last: number): Promise<Services> {
  const { ClickHouse: engine = 0, Kafka: kafka = 0 } = cluster.servers
  const before = { engine: processNow(engine).cpuMs, kafka: processNow(kafka).cpuMs }
  const start = performance.now()
  const projectors = await Promise.all(
    groups.map(async ({ name }) => {
      const projector = cluster.start('projector', { group: name })
      const indexed = `foldscan_indexed_position{group="${name}"}`
      const isOver = async () => (await metricOf(projector, indexed)) >= last
      await until(`${name} has folded all`, () => pause(lookMs).then(isOver), foldMaxMs)
      return { name, projector, seconds: (performance.now() - start) / 1_000 }
    }),
  )
  const cpuMs = projectors.reduce((sum, { projector }) => sum + processNow(projector.pid).cpuMs, 0)
  const after = { engine: processNow(engine).cpuMs, kafka: processNow(kafka).cpuMs }
  for (const { projector } of projectors) {
    projector.kill('SIGTERM')
    await projector.exited
  }
  return {
    seconds: Math.max(...projectors.map(({ seconds }) => seconds)),
    cpuSeconds: cpuMs / 1_000,
    engineCpuSeconds: (after.engine - before.engine) / 1_000,
    kafkaCpuSeconds: (after.kafka - before.kafka) / 1_000,
    secondsOfGroups: new Map(projectors.map(({ name, seconds }) => [name, seconds])),
  }
}

interface Measured {
  readonly transfers: number
  readonly rows: number
  readonly folded: Services
  readonly bare: Times
}

function figuresOf({ transfers, rows: checkedAnswers, folded, bare }: Measured): Figure[] {
  const us = (seconds: number) => [(seconds * 1e6) / transfers]
  const rate = (seconds: number) => [transfers / seconds]
  return [
    figureOf({
      name: 'folded, of bare',
      unit: 'transfers/s',
      values: rate(folded.seconds),
      baseline: { part: 'decode + insert', values: rate(bare.seconds) },
      goal: { of: 'ratio', bound: 'at least', limit: 0.8 },
      checkedAnswers,
    }),
    figureOf({
      name: 'folded',
      unit: 'transfers/s',
      values: rate(folded.seconds),
      goal: { of: 'value', bound: 'at least', limit: 15_000 },
      checkedAnswers,
    }),
    ...[...folded.secondsOfGroups].map(([name, seconds]) =>
      figureOf({
        name: `until ${name} is at the end`,
        unit: 'transfers/s',
        values: rate(seconds),
        checkedAnswers,
      }),
    ),
    figureOf({
      name: 'folded, by processor time with ClickHouse',
      unit: 'of bare',
      values: [allCpu(bare) / allCpu(folded)],
      goal: { of: 'value', bound: 'at least', limit: 0.8 },
      checkedAnswers,
    }),
    figureOf({
      name: 'processor time of the projectors',
      unit: 'us a transfer',
      values: us(folded.cpuSeconds),
      baseline: { part: 'decode + send', values: us(bare.cpuSeconds) },
      checkedAnswers,
    }),
    figureOf({
      name: 'processor time of ClickHouse',
      unit: 'us a transfer',
      values: us(folded.engineCpuSeconds),
      baseline: { part: 'insert', values: us(bare.engineCpuSeconds) },
      checkedAnswers,
    }),
    figureOf({
      name: 'processor time of Kafka',
      unit: 'us a transfer',
      values: us(folded.kafkaCpuSeconds),
      checkedAnswers,
    }),
  ]
}
