import type { Store } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { version } from '../../../libs/signals/version.ts'
import type { HeadOfGroups } from '../clock/follow-changes.ts'
import type { AuditShown } from './audit-shown.ts'
import type { NewestBlocks } from './newest-blocks.ts'
import { ReadAtMost } from './read-at-most.ts'
import { countEveryMs, countsOf, RecentCounts } from './recent-counts.ts'
import { type Example, statusSections } from './sections.ts'
import { type StatusFiles, statusFiles } from './status-page.ts'
import { type StatusStreamLimits, StatusStreams } from './status-streams.ts'
import { ShownTables } from './tables-shown.ts'

interface StatusOptions {
  readonly head: HeadOfGroups
  readonly newest: NewestBlocks
  readonly chainId: number
  readonly store: Pick<Store, 'query'>
  /** Whether pages are shared in Redis. */
  readonly hasRedis: boolean
  readonly metrics: Metrics
  readonly log: Log
  /** What a comparison with a node has found; null while there is none. */
  readonly audit?: (() => AuditShown | null) | undefined
  readonly limits?: Partial<StatusStreamLimits> | undefined
}

const examplesEveryMs = 60_000
const examplesDeadlineMs = 30_000

/** The status page and its streams. */
export class Status {
  readonly files: StatusFiles = statusFiles()
  readonly streams: StatusStreams
  private readonly options: StatusOptions
  private readonly counts = new RecentCounts()
  private readonly tables: ShownTables
  private examples: ReadAtMost<readonly Example[]> | null = null

  constructor(options: StatusOptions) {
    const { store, limits = {} } = options
    this.options = options
    this.tables = new ShownTables(store)
    this.streams = new StatusStreams({
      sections: () => this.sections(),
      onFailure: (error) => this.fail(error),
      limits,
    })
  }

  /** Counts until the signal aborts: who opens the page sees the minutes before. Never rejects. */
  async keepCounting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.count()
      await pause(countEveryMs, signal)
    }
    this.streams.stop()
  }

  private async count(): Promise<void> {
    const { metrics, head } = this.options
    const now = { at: performance.now(), block: head.head?.block ?? null }
    try {
      this.counts.add(await countsOf(metrics, now))
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    this.options.log.error({ event: events.api.failed, error }, 'the status cannot be shown')
  }

  /** Shows what is found, which is looked for while somebody watches. */
  findExamples(find: (signal: AbortSignal) => Promise<readonly Example[]>): void {
    const limits = { everyMs: examplesEveryMs, deadlineMs: examplesDeadlineMs }
    this.examples = new ReadAtMost({ ...limits, read: find })
  }

  private sections() {
    const { head, newest, chainId, hasRedis, audit } = this.options
    return statusSections({
      now: Date.now(),
      ...{ version, chainId, hasRedis },
      head: head.head,
      groups: head.groups,
      newest: newest.all,
      recent: this.counts.recent,
      tables: this.tables.shown,
      examples: this.examples?.latest.value ?? [],
      audit: audit?.() ?? null,
    })
  }
}
