import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { blocksBefore } from './blocks-before.ts'
import { type ExamplePage, examplePages } from './example-pages.ts'
import { subjectsOf } from './subjects.ts'

/** Finds pages that show something, by asking for them. */
export type FindExamples = (handler: HttpHandler) => Promise<readonly ExamplePage[]>

interface Indexed {
  readonly eventLog: EventLog
  /** That both on-chain groups have reached. */
  readonly position: () => number
  readonly signal: AbortSignal
}

/** Finds them among the subjects of the newest indexed blocks. */
export const findExamplesOf =
  ({ eventLog, position, signal }: Indexed): FindExamples =>
  async (handler) => {
    // Positions and offsets both count messages; some messages have come twice, at higher offsets.
    const end = Math.min(await eventLog.end('blocks'), position())
    const subjects = await subjectsOf(await blocksBefore(eventLog, end))
    return examplePages(subjects, handler, signal)
  }
