import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lmdbEventLog } from '../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../libs/ports/event-log.ts'
import type { Store } from '../libs/ports/store.ts'
import { ledger } from '../libs/projections/ledger.ts'
import { stateGroup } from '../libs/projections/state-group.ts'
import { foldedTables } from '../libs/tables/all-tables.ts'
import { decodedReader } from '../services/projector/decoded-reader.ts'
import { startProjector } from '../services/projector/projector.ts'
import { benchmark } from './benchmark.ts'
import type { ChainShape } from './generated-chain.ts'
import { type Memory, MemoryByQuarter } from './memory-by-quarter.ts'
import { processNow } from './processes.ts'
import { Recording } from './recorded-store.ts'
import { type Figure, figureOf } from './report/result.ts'
import type { Workspace } from './workspace.ts'

const groups = [ledger, stateGroup]
const readLimit = { messagesMax: 500, bytesMax: 4 * 1024 * 1024 }
const run = promisify(execFile)

/** @returns the sequence of the last message, which is its number in the log. */
async function writeChain(folder: string, shape: ChainShape): Promise<number> {
  const script = fileURLToPath(new URL('./write-chain.ts', import.meta.url))
  await run(process.execPath, ['--import', 'tsx', script, folder, JSON.stringify(shape)])
  const log = lmdbEventLog({ folder })
  const last = await log.end('blocks')
  await log.close()
  return last
}

interface Run {
  readonly seconds: number
  /** Processor time of this process, all threads, and of the engine. */
  readonly cpuSeconds: number
  readonly engineCpuSeconds: number
  readonly memory: readonly Memory[]
}

async function timed(enginePid: number, work: () => Promise<unknown>): Promise<Run> {
  const memory = new MemoryByQuarter(250)
  const engineCpu = processNow(enginePid).cpuMs
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    engineCpuSeconds: (processNow(enginePid).cpuMs - engineCpu) / 1_000,
    memory: memory.stop(),
  }
}

interface Folding {
  readonly workspace: Workspace
  /** Names its folders; unique in a workspace. */
  readonly name: string
  readonly log: EventLog
  /** Of each group. */
  readonly stores: readonly Store[]
  readonly last: number
}

/** Everything from the log into the tables, as `foldscan up` does it. */
async function foldAll({ workspace, name, log, stores, last }: Folding): Promise<Run> {
  const reader = decodedReader(log)
  const states = await Promise.all(
    groups.map(async (group) =>
      lmdbStateStore({ folder: await workspace.folder(`${name}-${group.name}`) }),
    ),
  )
  const run = await timed(workspace.pid, async () => {
    const projectors = groups.map((group, at) =>
      startProjector({ group, log, reader, store: pick(stores, at), state: pick(states, at) }),
    )
    await Promise.all(projectors.map((projector) => projector.waitFor(last)))
    for (const projector of projectors) await projector.stop()
  })
  for (const state of states) await state.close()
  return run
}

const pick = <T>(values: readonly T[], index: number): T => {
  const value = values[index]
  if (value === undefined) throw new RangeError(`no element ${index}`)
  return value
}

interface BareOptions {
  readonly enginePid: number
  readonly log: EventLog
  readonly store: Store
  readonly recordings: readonly Recording[]
}

/** The same decoding and the same inserts, nothing else. */
async function bare({ enginePid, log, store, recordings }: BareOptions): Promise<Run> {
  const decode = async () => {
    const reader = decodedReader(log)
    const end = await log.end('blocks')
    for (let offset = 0; offset < end; ) {
      const messages = await reader.read(offset, readLimit)
      offset += messages.length
    }
  }
  return await timed(enginePid, () =>
    Promise.all([decode(), ...recordings.map((recording) => recording.replay(store))]),
  )
}

/**
 * Both sides must hold the same rows, else their times mean nothing; but for `progress`, whose
 * marks depend on where flushes end.
 */
async function assertEqualRows(one: Store, other: Store): Promise<number> {
  let total = 0
  for (const table of foldedTables) {
    const sql = `SELECT count(), sum(cityHash64(*)) FROM ${table.name} FINAL`
    const [left, right] = await Promise.all([one.query(sql, {}), other.query(sql, {})])
    if (!left.equals(right))
      throw new Error(`${table.name} differs between the folded and the bare run`)
    total += Number(left.readBigUInt64LE(0))
  }
  return total
}

const shape = { seed: 1, transfersPerBlock: 400, tokens: 300, accounts: 200_000 }

export const fold = benchmark({
  name: 'fold',
  about: 'a generated chain from the log into the embedded engine, beside decoding and inserting',
  method:
    'Both groups fold a chain of 400 transfers a block from the log on disk into the engine, in ' +
    'one process as `foldscan up` does; the same inserts, recorded in a run before, are repeated ' +
    'beside decoding alone, with nothing folded. All tables of both runs are compared.',
  limits:
    'No Kafka, no API beside it, one machine; the chain is generated, its transactions are small. ' +
    'Beside other work, rates of one round say little: processor time does.',
  seed: shape.seed,
  needs: 'engine',
  sizes: {
    transfers: { about: 'transfers of the chain', full: 5_000_000, quick: 8_000 },
    rounds: { about: 'folded and bare, in turn', full: 1, quick: 1 },
  },
  async run({ transfers, rounds }, { workspace: opened, progress }) {
    const workspace = await opened()
    const folder = await workspace.folder('log')
    const last = await writeChain(folder, { ...shape, transfers })
    const log = lmdbEventLog({ folder })
    progress(`${transfers} transfers in ${last} blocks`)
    const runs: RoundResult[] = []
    for (let round = 1; round <= rounds; round++) {
      const done = await benchRound(workspace, log, { round, last })
      progress(`round ${round}: ${done.rows} rows on both sides, equal`)
      for (const name of ['folded', 'bare'] as const) progress(`${name}: ${memoryOf(done[name])}`)
      runs.push(done)
    }
    await log.close()
    return figuresOf(runs, transfers)
  },
})

function figuresOf(runs: readonly RoundResult[], transfers: number): Figure[] {
  const checkedAnswers = runs.reduce((sum, { rows }) => sum + rows, 0)
  const rates = (of: (one: RoundResult) => Run) => runs.map((one) => transfers / of(one).seconds)
  const cpu = (seconds: (one: RoundResult) => number) =>
    runs.map((one) => (seconds(one) * 1e6) / transfers)
  return [
    figureOf({
      name: 'folded, of bare',
      unit: 'transfers/s',
      values: rates(({ folded }) => folded),
      baseline: { part: 'decode + insert', values: rates(({ bare }) => bare) },
      goal: { of: 'ratio', bound: 'at least', limit: 0.8 },
      checkedAnswers,
    }),
    figureOf({
      name: 'folded',
      unit: 'transfers/s',
      values: rates(({ folded }) => folded),
      goal: { of: 'value', bound: 'at least', limit: 15_000 },
      checkedAnswers,
    }),
    figureOf({
      name: 'folded, by processor time with ClickHouse',
      unit: 'of bare',
      values: runs.map(({ folded, bare }) => allCpu(bare) / allCpu(folded)),
      goal: { of: 'value', bound: 'at least', limit: 0.8 },
      checkedAnswers,
    }),
    figureOf({
      name: 'processor time of the fold',
      unit: 'us a transfer',
      values: cpu(({ folded }) => folded.cpuSeconds),
      baseline: { part: 'decode + send', values: cpu(({ bare }) => bare.cpuSeconds) },
      checkedAnswers,
    }),
    figureOf({
      name: 'processor time of ClickHouse',
      unit: 'us a transfer',
      values: cpu(({ folded }) => folded.engineCpuSeconds),
      baseline: { part: 'insert', values: cpu(({ bare }) => bare.engineCpuSeconds) },
      checkedAnswers,
    }),
    figureOf({
      name: 'all tables on disk',
      unit: 'bytes a transfer',
      values: runs.map(({ bytes }) => bytes / transfers),
      checkedAnswers,
    }),
  ]
}

async function bytesOnDisk(store: Store): Promise<number> {
  const sql = `SELECT sum(bytes_on_disk) FROM system.parts
    WHERE active AND database = currentDatabase()`
  return Number((await store.query(sql, {})).readBigUInt64LE(0))
}

const allCpu = ({ cpuSeconds, engineCpuSeconds }: Run) => cpuSeconds + engineCpuSeconds

const memoryOf = ({ memory }: Run): string => {
  const quarters = memory.map(({ residentMiB, privateMiB }) => `${residentMiB} (${privateMiB})`)
  return `resident (without mapped files) MiB by quarter: ${quarters.join(', ')}`
}

interface Round {
  readonly round: number
  readonly last: number
}

interface RoundResult {
  readonly folded: Run
  readonly bare: Run
  readonly rows: number
  /** On disk, of the folded tables. */
  readonly bytes: number
}

async function benchRound(
  workspace: Workspace,
  log: EventLog,
  { round, last }: Round,
): Promise<RoundResult> {
  const recordings = await Promise.all(
    groups.map(
      async ({ name }) => new Recording(await workspace.folder(`recording-${round}-${name}`)),
    ),
  )
  // First, so that the memory is that of a process that has done nothing else.
  const store = await workspace.store(`folded_${round}`)
  const stores = [store, store]
  const folded = await foldAll({ workspace, name: `folded-${round}`, log, stores, last })
  const recorded = await workspace.store(`recorded_${round}`)
  await foldAll({
    workspace,
    name: `recorded-${round}`,
    log,
    stores: recordings.map((recording) => recording.over(recorded)),
    last,
  })
  const replayed = await workspace.store(`bare_${round}`)
  const bareRun = await bare({
    enginePid: workspace.pid,
    log,
    store: replayed,
    recordings,
  })
  const rows = await assertEqualRows(store, replayed)
  return { folded, bare: bareRun, rows, bytes: await bytesOnDisk(store) }
}
