import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { Ingestor } from '../../ingestor/running-ingestor.ts'
import type { DimensionsProjector } from '../../projector/facts/dimensions.ts'
import type { Projector } from '../../projector/projector.ts'
import type { Components } from '../process/run-until-stopped.ts'

const intervalMs = 30_000

interface Progress {
  /** Changes whenever the service has done something. */
  readonly position: number
  readonly sentence: string
}

interface ProgressOptions {
  readonly log: Log
  readonly components: Components
  readonly progress: () => Progress
}

/** Logs every half a minute how far a service is, if it went on since the last time. */
export function reportProgress({ log, components, progress }: ProgressOptions): void {
  let last = progress().position
  const timer = setInterval(() => {
    const { position, sentence } = progress()
    if (position === last) return
    last = position
    log.info({ event: events.service.progress, position }, sentence)
  }, intervalMs)
  components.add({ name: 'progress', stop: async () => clearInterval(timer) })
}

export function publishedProgress(ingestor: Pick<Ingestor, 'status'>): Progress {
  const { position, block, sourceHead } = ingestor.status()
  return { position, sentence: `published up to block ${block}, the head is ${sourceHead}` }
}

export function indexedProgress({ status }: Pick<Projector, 'status'>): Progress {
  const { position, block, behind } = status()
  return { position, sentence: `indexed up to block ${block}, ${behind} messages behind` }
}

export function factsProgress({ status }: Pick<DimensionsProjector, 'status'>): Progress {
  const { position, messages, deadLetters } = status()
  return {
    position,
    sentence: `read ${messages} facts; ${deadLetters} dead letters since the start`,
  }
}
