import { defaultCoinEmitters } from '../../libs/chain/coin-emitters.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { events } from '../../libs/signals/events.ts'
import { type Log, silentLog } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { StartupError } from '../../libs/signals/startup-error.ts'
import { Ingestion } from './ingestion.ts'
import { type IngestorLimits, ingestorLimits } from './memory/ingestor-limits.ts'
import { LogMemory } from './memory/log-memory.ts'
import type { Dropped } from './memory/token-memory.ts'
import type { Ingestor } from './running-ingestor.ts'

export interface IngestorOptions {
  readonly source: ChainSource
  readonly eventLog: EventLog
  /** First block of an empty log; a log with blocks continues after its last one. */
  readonly fromBlock?: number
  /** Halts rather than undoing more blocks at once; by default as many as can be undone. */
  readonly undoBlocksMax?: number
  /** Addresses whose logs are the coin's own; by default the system address. */
  readonly coinEmitters?: readonly Address[]
  /** Declares the holes of a source instead of halting at them. */
  readonly allowGaps?: boolean
  /** Saves one reading of the log at the next start. */
  readonly state: StateStore
  readonly log?: Log
  readonly metrics?: Metrics
  readonly limits?: Partial<IngestorLimits>
}

/**
 * Publishes a source's chain on topic `blocks`: the backlog, then the head, forks reverted.
 *
 * @throws StartupError if the log is of another chain
 */
export async function startIngestor(options: IngestorOptions): Promise<Ingestor> {
  const { source, eventLog, log = silentLog } = options
  const limits = { ...ingestorLimits, ...options.limits }
  const memory = await LogMemory.open({
    eventLog,
    limits,
    state: options.state,
    onDropped: (forgotten) => noteForgotten(forgotten, { log, metrics: options.metrics }),
  })
  const { chainId, head } = memory.accepted
  if (chainId !== null && chainId !== source.chainId) {
    throw new StartupError(
      `The log contains chain ${chainId}, the source is of chain ${source.chainId}: check --source, ` +
        'or choose another --data-dir or --kafka-topic-prefix, because each contains one chain.',
    )
  }
  const particulars = { chainId: source.chainId, sequence: memory.accepted.sequence }
  log.info(
    { event: events.ingestor.started, ...particulars },
    head ? `continuing after block ${head.number}` : 'starting an empty log',
  )
  if (source.hasState && memory.tokens.pairs.isPartial) {
    const fields = { event: events.ingestor.partialPairs }
    log.warn(fields, sentenceOfPartial)
  }
  const { fromBlock = 0, allowGaps = false, coinEmitters = defaultCoinEmitters } = options
  const { undoBlocksMax = limits.reorganisationDepthMax } = options
  const { metrics } = options
  const bounds = { limits, undoBlocksMax, fromBlock, allowGaps, coinEmitters }
  return new Ingestion({ source, eventLog, memory, log, metrics, ...bounds }).start()
}

const sentenceOfPartial =
  'the volume is of an earlier release: of pairs that moved before, unknown balances are not asked ' +
  'for; an ingestor without a volume reads its topic again, and asks for all'

interface Noting {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'questionsDeferred'> | undefined
}

function noteForgotten(forgotten: Dropped, { log, metrics }: Noting): void {
  const { kind, reason, count } = forgotten
  metrics?.questionsDeferred.inc({ kind, reason }, count)
  const fields = { event: events.ingestor.dropped, ...forgotten, runbook: runbooks.unanswered }
  const consequences = {
    balance: 'balances stay unknown until they move again',
    token: `tokens have no name, or an old one, as too many wait (${reason})`,
    pair: 'pairs of a token and a holder are not remembered: unknown balances stay unknown',
  }
  log.warn(fields, `${count} ${consequences[kind]}`)
}
