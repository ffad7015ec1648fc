import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { replicaAttempts } from '../../libs/queries/progress.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { deletion, killing, type Mutation, mutationsOf } from '../../libs/tables/mutations.ts'
import { progress } from '../../libs/tables/progress.ts'
import { announcementBytes, announcementOf, publish } from './announce.ts'
import { beginning, writeCheckpoint } from './checkpoint.ts'
import type { ProjectorLimits } from './limits.ts'
import { firstMarkOf } from './marks.ts'
import { emptied } from './recover.ts'
import type { RowsOfAnotherLog } from './written-rows.ts'

interface RemovalParts {
  readonly group: string
  readonly store: Store
  readonly signals: Log
  /** Ends the wait; mutations continue in ClickHouse. */
  readonly signal: AbortSignal
  readonly limits: Pick<
    ProjectorLimits,
    'removalPollMs' | 'removalPollMaxMs' | 'removalWaitMsMax' | 'removalFailedPollsMax'
  >
}

/** ClickHouse does not remove rows: an operator has to find out why. */
class RowsNotRemoved extends Error {
  override readonly name = 'RowsNotRemoved'
}

/** An unchanged state is logged again after this many polls. */
const silentPollsMax = 15

/**
 * Removes rows of tables by background mutations, polled until they are done on each replica that
 * answers. A replica that is unavailable applies them before newer inserts.
 * @throws RowsNotRemoved if they fail or take too long; StoreDenied before any row is removed
 */
export async function removeWhere(
  parts: RemovalParts,
  tables: readonly string[],
  condition: string,
): Promise<void> {
  const label = `foldscan-${randomUUID()}`
  const { store } = parts
  // Without the right to see mutations nothing is started.
  await mutationsOf(store, { tables, label })
  for (const table of tables) await store.execute(deletion(table, condition, label))
  await new Wait(parts, tables, label).untilDone()
}

/** The wait for mutations that were begun. */
class Wait {
  readonly #parts: RemovalParts
  readonly #tables: readonly string[]
  readonly #label: string
  readonly #begun = new Set<string>()
  #failedPolls = 0
  #unchangedPolls = 0
  #said = ''

  constructor(parts: RemovalParts, tables: readonly string[], label: string) {
    this.#parts = parts
    this.#tables = tables
    this.#label = label
  }

  async untilDone(): Promise<void> {
    const { limits, signal } = this.#parts
    const { removalPollMs, removalPollMaxMs, removalWaitMsMax } = limits
    const startedAt = performance.now()
    for (let pauseMs = removalPollMs; ; pauseMs = Math.min(pauseMs * 2, removalPollMaxMs)) {
      const answers = await this.#poll()
      const undone = this.#tables.filter((table) => !answers.every((one) => isDone(one, table)))
      if (undone.length === 0) return
      const partsLeft = Math.max(...answers.map(partsLeftOf))
      this.#say(undone, partsLeft)
      this.#refuseKilled(answers)
      await this.#refuseFailed(answers.flat())
      if (performance.now() - startedAt >= removalWaitMsMax) {
        throw this.#error(
          `not done within ${removalWaitMsMax} ms in ${undone.join(', ')}, ${partsLeft} parts left`,
        )
      }
      await pause(pauseMs, undefined, { signal })
    }
  }

  /** Concurrently, so on several connections: each may reach another replica. */
  #poll(): Promise<(readonly Mutation[])[]> {
    const asked = { tables: this.#tables, label: this.#label }
    const { store } = this.#parts
    return Promise.all(Array.from({ length: replicaAttempts }, () => mutationsOf(store, asked)))
  }

  #say(undone: readonly string[], partsLeft: number): void {
    const { group, signals } = this.#parts
    const done = `${this.#tables.length - undone.length} of ${this.#tables.length} tables`
    const sentence = `removing rows in the background: ${done} done, ${partsLeft} parts left`
    this.#unchangedPolls += 1
    if (sentence === this.#said && this.#unchangedPolls < silentPollsMax) return
    this.#said = sentence
    this.#unchangedPolls = 0
    const fields = { event: events.projector.removing, group, undone, partsLeft }
    signals.info(fields, `${group}: ${sentence}`)
  }

  /** A mutation that is no longer listed will never be done. */
  #refuseKilled(answers: readonly (readonly Mutation[])[]): void {
    for (const table of this.#tables) {
      const isListed = answers.some((one) => one.some((each) => each.isOwn && each.table === table))
      if (isListed) this.#begun.add(table)
      else if (this.#begun.has(table)) throw this.#error(`the mutation of ${table} was killed`)
    }
  }

  /** Includes earlier mutations, which ours have to wait for. */
  async #refuseFailed(found: readonly Mutation[]): Promise<void> {
    const failed = found.find(({ isDone, failure }) => !isDone && failure !== '')
    this.#failedPolls = failed === undefined ? 0 : this.#failedPolls + 1
    if (failed === undefined || this.#failedPolls < this.#parts.limits.removalFailedPollsMax) return
    // Otherwise each start would leave mutations behind that are retried for ever.
    await this.#parts.store.execute(killing(this.#label)).catch(() => {})
    const { table, id, failure } = failed
    throw this.#error(`mutation ${id} of ${table} fails: ${failure}`)
  }

  #error(sentence: string): RowsNotRemoved {
    return new RowsNotRemoved(
      `ClickHouse did not remove rows of ${this.#parts.group}: ${sentence}; ` +
        `see ${runbooks.lostTail}`,
    )
  }
}

/** A replica that lags may not list ours yet. */
function isDone(found: readonly Mutation[], table: string): boolean {
  const own = found.filter((each) => each.isOwn && each.table === table)
  return own.length > 0 && own.every((each) => each.isDone)
}

const partsLeftOf = (found: readonly Mutation[]): number =>
  found.reduce((sum, { isOwn, partsLeft }) => sum + (isOwn ? partsLeft : 0), 0)

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
  await publish(log, group, { bytes: announcementBytes(announcement) })
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
