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
import type { ChainShape } from './generated-chain.ts'
import { type Memory, MemoryByQuarter } from './memory.ts'
import { Recording } from './recorded-store.ts'
import { machine, openWorkspace, type Workspace } from './workspace.ts'

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
  readonly memory: readonly Memory[]
}

async function timed(work: () => Promise<unknown>): Promise<Run> {
  const memory = new MemoryByQuarter(250)
  const start = performance.now()
  await work()
  return { seconds: (performance.now() - start) / 1000, memory: memory.stop() }
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
async function fold({ workspace, name, log, stores, last }: Folding): Promise<Run> {
  const reader = decodedReader(log)
  const states = await Promise.all(
    groups.map(async (group) =>
      lmdbStateStore({ folder: await workspace.folder(`${name}-${group.name}`) }),
    ),
  )
  const run = await timed(async () => {
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

/** The same decoding and the same inserts, nothing else. */
async function bare(log: EventLog, store: Store, recordings: readonly Recording[]) {
  const decode = async () => {
    const reader = decodedReader(log)
    const end = await log.end('blocks')
    for (let offset = 0; offset < end; ) {
      const messages = await reader.read(offset, readLimit)
      offset += messages.length
    }
  }
  return await timed(() =>
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

const line = (text: string) => process.stdout.write(`${text}\n`)

function report(name: string, transfers: number, { seconds, memory }: Run): void {
  const rate = Math.round(transfers / seconds).toLocaleString('en')
  line(`${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s ${rate.padStart(10)} transfers/s`)
  const quarters = memory.map(({ residentMiB, privateMiB }) => `${residentMiB} (${privateMiB})`)
  line(`         resident (without mapped files) MiB by quarter: ${quarters.join(', ')}`)
}

/** `npm run bench -- project`: folding beside the bare cost of decoding and inserting. */
export async function benchProject(transfers: number, rounds: number): Promise<void> {
  const shape = { seed: 1, transfers, transfersPerBlock: 400, tokens: 300, accounts: 200_000 }
  const workspace = await openWorkspace()
  try {
    line(`machine: ${machine()}`)
    const folder = await workspace.folder('log')
    const last = await writeChain(folder, shape)
    const log = lmdbEventLog({ folder })
    line(`chain: ${transfers} transfers in ${last} blocks, seed ${shape.seed}`)
    const ratios: number[] = []
    for (let round = 1; round <= rounds; round++) {
      ratios.push(await benchRound(workspace, log, { round, last, transfers }))
    }
    const sorted = [...ratios].sort((a, b) => a - b)
    const median = pick(sorted, Math.floor(sorted.length / 2))
    line(
      `ratio folded/bare: median ${median.toFixed(2)} of ${ratios.map((r) => r.toFixed(2)).join(', ')}`,
    )
    await log.close()
  } finally {
    await workspace.end()
  }
}

interface Round {
  readonly round: number
  readonly last: number
  readonly transfers: number
}

async function benchRound(workspace: Workspace, log: EventLog, { round, last, transfers }: Round) {
  const recordings = await Promise.all(
    groups.map(
      async ({ name }) => new Recording(await workspace.folder(`recording-${round}-${name}`)),
    ),
  )
  // First, so that the memory is that of a process that has done nothing else.
  const store = await workspace.store(`folded_${round}`)
  const folded = await fold({
    workspace,
    name: `folded-${round}`,
    log,
    stores: [store, store],
    last,
  })
  const recorded = await workspace.store(`recorded_${round}`)
  const stores = recordings.map((recording) => recording.over(recorded))
  await fold({ workspace, name: `recorded-${round}`, log, stores, last })
  const replayed = await workspace.store(`bare_${round}`)
  const bareRun = await bare(log, replayed, recordings)
  const rows = await assertEqualRows(store, replayed)
  line(`round ${round}: ${rows} rows on both sides, equal`)
  report('folded', transfers, folded)
  report('bare', transfers, bareRun)
  return bareRun.seconds / folded.seconds
}
