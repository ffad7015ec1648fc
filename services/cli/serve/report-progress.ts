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

/** Of balances that only a node knows; the time left is that of the pace since the last call. */
export function sweptProgress({ status }: Pick<Ingestor, 'status'>): () => Progress {
  let before = { progress: 1, atMs: 0 }
  return () => {
    const { asked, progress } = status().sweep
    const now = { progress, atMs: performance.now() }
    const perMs = (progress - before.progress) / (now.atMs - before.atMs)
    before = now
    const minutes = Math.ceil((1 - progress) / perMs / 60_000)
    const left =
      progress < 1 && perMs > 0 ? `, some ${minutes} minutes left of it at this pace` : ''
    const percent = Math.floor(progress * 100)
    const sentence = `asked the node for ${asked} balances; ${percent} % of this round${left}`
    // Some of any token are always asked for: of that there is nothing to say.
    return { position: progress < 1 ? asked : 0, sentence }
  }
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
