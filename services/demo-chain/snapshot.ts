import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { hex } from '../../libs/chain/hex.ts'
import type { JournalEntry } from './journal.ts'
import type { JsonRpc } from './json-rpc.ts'

/**
 * The node's own picture of the chain after so many journal entries: a long story need not be told
 * from its first block each time. It spares time only; the journal alone says what the chain is.
 */
export interface Snapshot {
  readonly file: string
  /** Journal entries that it holds. */
  readonly entries: number
}

/** Entries told anew at a start, at least, before a snapshot is worth its time. */
const entriesBetweenMin = 1_000

/** A part of what the last one held: taking them costs in all no more than a few tellings. */
const entriesBetweenPart = 1 / 4

const nameForm = /^after-(\d+)\.json$/

/** The newest one that can be used: nothing after it may roll back into what it holds. */
export function newestSnapshot(folder: string, told: readonly JournalEntry[]): Snapshot | null {
  const counts = readdirSync(folder).flatMap((name) => nameForm.exec(name)?.[1] ?? [])
  const entries = Math.max(0, ...counts.map(Number).filter((count) => count <= told.length))
  if (entries === 0 || told.slice(entries).some(({ kind }) => kind === 'rolled-back')) return null
  return { file: join(folder, `after-${entries}.json`), entries }
}

export const isSnapshotDue = (entries: number, held: number): boolean =>
  entries - held >= Math.max(entriesBetweenMin, held * entriesBetweenPart)

/** Replaces the older ones. */
export async function takeSnapshot(rpc: JsonRpc, folder: string, entries: number): Promise<void> {
  const [dumped] = await rpc.batch([{ method: 'anvil_dumpState', params: [] }])
  const bytes = Buffer.from(hex(z.string().parse(dumped)).slice(2), 'hex')
  const name = `after-${entries}.json`
  const unfinished = join(folder, `${name}.unfinished`)
  writeFileSync(unfinished, gunzipSync(bytes))
  renameSync(unfinished, join(folder, name))
  for (const older of readdirSync(folder)) {
    if (older !== name && older.startsWith('after-')) rmSync(join(folder, older))
  }
}
