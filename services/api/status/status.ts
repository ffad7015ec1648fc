import type { Head } from '../../../libs/presenters/lookups.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { version } from '../../../libs/signals/version.ts'
import type { HeadOfGroups } from '../invalidation/follow-changes.ts'
import type { NewestBlocks } from './newest-blocks.ts'
import { statusSections } from './sections.ts'
import { type StatusFiles, statusFiles } from './status-page.ts'
import { type StatusStreamLimits, StatusStreams } from './status-streams.ts'

interface StatusOptions {
  readonly head: HeadOfGroups
  readonly newest: NewestBlocks
  readonly chainId: number
  readonly log: Log
  readonly limits?: Partial<StatusStreamLimits>
}

/** The status page and its streams. */
export interface Status {
  readonly files: StatusFiles
  readonly streams: StatusStreams
  stop(): void
}

export function startStatus({ head, newest, chainId, log, limits }: StatusOptions): Status {
  const shown = (): Head | null => head.head
  const streams = new StatusStreams({
    sections: () =>
      statusSections({
        now: Date.now(),
        ...{ version, chainId },
        head: shown(),
        groups: head.groups,
        newest: newest.all,
      }),
    onFailure: (error) =>
      log.error({ event: events.api.failed, error }, 'the status cannot be shown'),
    ...(limits === undefined ? {} : { limits }),
  })
  return { files: statusFiles(), streams, stop: () => streams.stop() }
}
