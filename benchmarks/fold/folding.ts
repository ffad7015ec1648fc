import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { decodedReader } from '../../services/projector/reading/decoded-reader.ts'
import { type Memory, MemoryByQuarter } from '../memory-by-quarter.ts'
import { processNow } from '../processes.ts'
import { Recording } from '../recorded-store.ts'

export const groups = [ledger, stateGroup]
/** What is folded, but for the number of transfers. */
export const shape = { seed: 1, transfersPerBlock: 400, tokens: 300, accounts: 200_000 }
const readLimit = { messagesMax: 500, bytesMax: 4 * 1024 * 1024 }

export interface Run {
  readonly seconds: number
  /** Processor time of what folds, all threads, and of ClickHouse. */
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
  /** Of ClickHouse. */
  readonly enginePid: number
  /** A new folder of that name. */
  readonly folder: (name: string) => Promise<string>
  /** Names its folders. */
  readonly name: string
  readonly eventLog: EventLog
  /** Of each group. */
  readonly stores: readonly Store[]
  readonly last: number
  /** One group after the other: a process reads a topic of Kafka in one place. */
  readonly isInTurn?: boolean
}

/** Everything from the log into the tables, as `foldscan up` does it. */
export async function foldAll({
  enginePid,
  folder,
  name,
  eventLog,
  stores,
  last,
  isInTurn = false,
}: Folding): Promise<Run> {
  const reader = decodedReader(eventLog)
  const states = await Promise.all(
    groups.map(async (group) => lmdbStateStore({ folder: await folder(`${name}-${group.name}`) })),
  )
  const run = await timed(enginePid, async () => {
    const fold = async (group: (typeof groups)[number], at: number) => {
      const [store, state] = [pick(stores, at), pick(states, at)]
      const projector = startProjector({ group, eventLog, reader, store, state })
      await projector.waitFor(last).finally(() => projector.stop())
    }
    if (!isInTurn) await Promise.all(groups.map(fold))
    else for (const [at, group] of groups.entries()) await fold(group, at)
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
  readonly eventLog: EventLog
  readonly store: Store
  readonly recordings: readonly Recording[]
}

/** The same decoding and the same inserts, nothing else. */
export async function bare({ enginePid, eventLog, store, recordings }: BareOptions): Promise<Run> {
  const decode = async () => {
    const reader = decodedReader(eventLog)
    const end = await eventLog.end('blocks')
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
export async function assertEqualRows(one: Store, other: Store): Promise<number> {
  let total = 0
  for (const table of foldedTables) {
    const sql = `SELECT count(), sum(cityHash64(*)) FROM ${table.stored} FINAL`
    const [left, right] = await Promise.all([one.query(sql, {}), other.query(sql, {})])
    if (!left.equals(right))
      throw new Error(`${table.name} differs between the folded and the bare run`)
    total += Number(left.readBigUInt64LE(0))
  }
  return total
}

export async function bytesOnDisk(store: Store): Promise<number> {
  const sql = `SELECT sum(bytes_on_disk) FROM system.parts
    WHERE active AND database = currentDatabase()`
  return Number((await store.query(sql, {})).readBigUInt64LE(0))
}

/** Of both, what folds and ClickHouse. */
export const allCpu = ({ cpuSeconds, engineCpuSeconds }: Omit<Run, 'seconds' | 'memory'>): number =>
  cpuSeconds + engineCpuSeconds

/** Recordings of all groups, for the inserts of a bare run. */
export const newRecordings = (
  folder: Folding['folder'],
  name: string,
): Promise<readonly Recording[]> =>
  Promise.all(groups.map(async (group) => new Recording(await folder(`${name}-${group.name}`))))
