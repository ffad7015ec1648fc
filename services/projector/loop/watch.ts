import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { skipReasons } from '../../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { LostRaceFilter } from '../../../libs/topics/lost-race-filter.ts'
import type { ReadMessage } from '../reading/decoded-reader.ts'
import type { GroupState } from '../volume/group-state.ts'
import type { CommitCost } from './commit.ts'
import type { Folded } from './fold.ts'
import type { ProjectorStatus, Stuck } from './projector-parts.ts'

type Stood = Pick<GroupState, 'accepted' | 'silentUntil'>

/** Where a message was folded, or skipped; null for bytes that are none. */
interface FoldedAt {
  readonly sequence: number
  readonly offset: number
  readonly behind: number
  readonly message: BlocksMessage | null
}

/** Reports on a group: status, log lines, metrics. */
export class Watch {
  status: ProjectorStatus
  private readonly log: Log
  private readonly metrics: Metrics | undefined
  private readonly races = new LostRaceFilter()

  constructor(group: string, log: Log, metrics: Metrics | undefined) {
    this.log = log
    this.metrics = metrics
    this.status = { group, position: 0, block: null, behind: 0, isSilent: false, stuck: null }
  }

  started(at: Stood): void {
    const { group } = this.status
    this.stands(at)
    this.metrics?.stuck.set({ group }, 0)
    this.metrics?.flushSeconds.durationsOf(group)
    this.metrics?.flushedRows.inc({ group }, 0)
    // A counter that begins with its first increment hides it from `rate` and `increase`.
    for (const reason of skipReasons) this.metrics?.skippedMessages.inc({ group, reason }, 0)
    const { sequence } = at.accepted
    const where = sequence === 0 ? 'starts with the first message' : `goes on after ${sequence}`
    this.log.info({ event: events.projector.started, group, sequence }, `${group} ${where}`)
  }

  /** Folding it takes long: an operator who finds the process slow or killed should know why. */
  begins({ offset }: Pick<ReadMessage, 'offset'>, weight: number): void {
    const { group } = this.status
    const event = events.projector.greatMessage
    const fields = { event, group, offset, weight, runbook: runbooks.greatBlocks }
    const sentence = `${group} begins to fold a block of about ${weight} transfers and logs`
    this.log.warn(fields, `${sentence} at offset ${offset}`)
  }

  folded(folded: Folded, place: FoldedAt): void {
    const { stuck } = this.status
    if (folded.fate === 'accepted') {
      this.status = { ...this.status, behind: place.behind, stuck: null }
      if (stuck !== null) this.unstuck(place.sequence)
      return
    }
    const { reason, detail } = folded
    const { group } = this.status
    const { offset } = place
    this.metrics?.skippedMessages.inc({ group, reason })
    const fields = { event: events.projector.skipped, group, reason, offset }
    this.log.debug(fields, `${group} skipped a message: ${detail}`)
    const { message } = place
    const isLost = message !== null && this.races.isLost(message, reason)
    if (isLost || reason === 'duplicate' || stuck !== null) return
    this.stuck({ reason, detail, offset, sequence: place.sequence + 1 })
  }

  flushed(at: Stood, cost: CommitCost): void {
    const { group } = this.status
    this.stands(at)
    const fields = { event: events.projector.flushed, ...this.status, ...cost }
    this.log.debug(fields, `${group} wrote ${cost.rows} rows`)
  }

  /** Nothing came: it is at the end, or another one folds in its place. */
  waits(behind: number): void {
    this.status = { ...this.status, behind }
  }

  private stands({ accepted, silentUntil }: Stood): void {
    const { group } = this.status
    const position = accepted.sequence
    const block = accepted.head?.number ?? null
    const time = accepted.head?.timestamp ?? null
    this.status = { ...this.status, position, block, isSilent: position < silentUntil }
    this.metrics?.indexedPosition.set({ group }, position)
    if (block !== null) this.metrics?.indexedBlock.set({ group }, block)
    if (time !== null) this.metrics?.indexedTime.set({ group }, time)
  }

  private stuck(stuck: Stuck): void {
    const { group } = this.status
    this.status = { ...this.status, stuck }
    this.metrics?.stuck.set({ group }, 1)
    const isTooDeep = stuck.reason === 'too-deep'
    const runbook = isTooDeep ? runbooks.reorganisationTooDeep : runbooks.stuck
    const fields = { event: events.projector.stuck, group, ...stuck, runbook }
    this.log.error(
      fields,
      `${group} waits for a valid message ${stuck.sequence}: the one at offset ${stuck.offset} ` +
        `is ${stuck.reason} (${stuck.detail})`,
    )
  }

  private unstuck(sequence: number): void {
    const { group } = this.status
    this.metrics?.stuck.set({ group }, 0)
    const fields = { event: events.projector.unstuck, group, sequence }
    this.log.info(fields, `${group} goes on with message ${sequence}`)
  }
}
