import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lmdbEventLog } from '../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../libs/ports/event-log.ts'
import type { Store } from '../libs/ports/store.ts'
import { benchmark } from './benchmark.ts'
import { assertChain } from './fold/assert-chain.ts'
import {
  allCpu,
  assertEqualRows,
  bare,
  bytesOnDisk,
  foldAll,
  newRecordings,
  type Run,
  shape,
} from './fold/folding.ts'
import type { ChainShape } from './generated-chain.ts'
import { type Figure, figureOf } from './report/result.ts'
import type { Workspace } from './workspace.ts'

const run = promisify(execFile)

/** @returns the sequence of the last message, which is its number in the log. */
async function writeChain(folder: string, shape: ChainShape): Promise<number> {
  const script = fileURLToPath(new URL('./write-chain.ts', import.meta.url))
  await run(process.execPath, [...process.execArgv, script, folder, JSON.stringify(shape)])
  const eventLog = lmdbEventLog({ folder })
  const last = await eventLog.end('blocks')
  await eventLog.close()
  return last
}

export const fold = benchmark({
  name: 'fold',
  about:
    'a generated chain from the log into the embedded engine, compared with decoding and inserting',
  method:
    'Both groups fold a chain of 400 transfers a block from the log on disk into the engine, in ' +
    'one process as `foldscan up` does; the same inserts, recorded in a run before, are repeated ' +
    'beside decoding alone, with nothing folded. All tables of both runs are compared, and first ' +
    'pages of holders and transfers with the sums and the logs of the chain.',
  limits:
    'No Kafka, no API beside it, one machine; the chain is generated, its transactions are small. ' +
    'On a busy machine rates of one round say little: processor time does.',
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
    const eventLog = lmdbEventLog({ folder })
    progress(`${transfers} transfers in ${last} blocks`)
    const runs: RoundResult[] = []
    for (let round = 1; round <= rounds; round++) {
      const done = await benchRound(workspace, eventLog, { round, last })
      progress(`round ${round}: ${done.rows} rows on both sides, equal`)
      const lists = await assertChain(done.store, { ...shape, transfers })
      progress(`round ${round}: ${lists} first pages are those of the chain`)
      for (const name of ['folded', 'bare'] as const) progress(`${name}: ${memoryOf(done[name])}`)
      runs.push(done)
    }
    await eventLog.close()
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
  /** The folded tables, and their bytes on disk. */
  readonly store: Store
  readonly bytes: number
}

async function benchRound(
  workspace: Workspace,
  eventLog: EventLog,
  { round, last }: Round,
): Promise<RoundResult> {
  const { pid: enginePid, folder } = workspace
  const recordings = await newRecordings(folder, `recording-${round}`)
  const one = { enginePid, folder, eventLog, last }
  // First, so that the memory is that of a process that has done nothing else.
  const store = await workspace.store(`folded_${round}`)
  const folded = await foldAll({ ...one, name: `folded-${round}`, stores: [store, store] })
  const recorded = await workspace.store(`recorded_${round}`)
  const stores = recordings.map((recording) => recording.over(recorded))
  await foldAll({ ...one, name: `recorded-${round}`, stores })
  const replayed = await workspace.store(`bare_${round}`)
  const bareRun = await bare({ enginePid, eventLog, store: replayed, recordings })
  const rows = await assertEqualRows(store, replayed)
  return { folded, bare: bareRun, rows, store, bytes: await bytesOnDisk(store) }
}
