import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { events } from '../../libs/signals/events.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { progress } from '../../libs/tables/progress.ts'
import { announcementBytes, announcementOf, publish } from './announce.ts'
import { beginning, writeCheckpoint } from './checkpoint.ts'
import { firstMarkOf } from './marks.ts'
import { emptied } from './recover.ts'
import { type RemovalParts, removeWhere } from './row-removal.ts'
import type { RowsOfAnotherLog } from './written-rows.ts'

interface FoldAnewParts extends RemovalParts {
  readonly group: BlocksGroup['name']
  readonly log: EventLog
  readonly state: StateStore
  /** All that the group writes, without `progress`. */
  readonly tables: readonly string[]
}

/** The log decides, and the tables follow: rows of other messages go, all others come again. */
export async function foldAnew(
  parts: FoldAnewParts,
  { message, above }: RowsOfAnotherLog,
): Promise<void> {
  const { group, log, state, signals, tables } = parts
  const fields = { event: events.projector.rewound, group, runbook: runbooks.lostTail }
  const sentence = `${message}: removing those above ${above}, writing all rows again`
  signals.warn(fields, `${group}: ${sentence}`)
  // Merges may have dropped older versions: hence all rows are written again.
  await removeWhere(parts, tables, `position > ${above}`)
  // No new row will invalidate the removed ones.
  const accepted = { sequence: above, head: null }
  const announcement = announcementOf(group, { after: 0, accepted, moved: 'everything' })
  await publish(log, group, announcementBytes(announcement))
  // What identifies the log stays: it is the same one.
  const marks = `group = '${group}' OR startsWith(group, '${group}|')`
  await removeWhere(parts, [progress.name], `(${marks}) AND group != '${firstMarkOf(group)}'`)
  await emptied(state)
  // Progress written by another process since may cover rows removed here.
  await state.commit([writeCheckpoint(beginning(0))])
}

/** Whether any of the tables has a row. */
export async function haveRows({
  store,
  tables,
}: Pick<FoldAnewParts, 'store' | 'tables'>): Promise<boolean> {
  for (const table of tables) {
    const found = await store.query(`SELECT position FROM ${table} LIMIT 1`, {})
    if (found.length > 0) return true
  }
  return false
}
