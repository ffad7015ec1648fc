import { statSync } from 'node:fs'
import { join } from 'node:path'
import { lmdbStateStore, stateFileName } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { type MemoryTopics, memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { startIngestor } from '../../services/ingestor/ingestor.ts'
import type { IngestorLimits } from '../../services/ingestor/memory/ingestor-limits.ts'
import type { Ingestor } from '../../services/ingestor/running-ingestor.ts'
import { until } from '../../test/support/until.ts'
import { processNow } from '../processes.ts'
import {
  type AskedOfNode,
  type CountedSource,
  countedSource,
  type OnSwept,
} from './counted-source.ts'
import type { GiftChain } from './gift-chain.ts'
import { inPlaceOf } from './in-place-of.ts'

export interface IngestorRunOptions {
  readonly chain: GiftChain
  /** Of the log, which is continued. */
  readonly topics: MemoryTopics
  /** Of the volume, which is continued, too. */
  readonly folder: string
  readonly fromBlock: number
  readonly limits: Partial<IngestorLimits>
  readonly onSwept?: OnSwept
}

/** What was used until now. */
export interface UsedNow extends AskedOfNode {
  readonly atMs: number
  /** Of this process. */
  readonly cpuMs: number
  readonly nodeCpuMs: number
}

/** An ingestor of this process, with its log in memory and its volume in a file. */
export interface IngestorRun {
  readonly ingestor: Ingestor
  readonly node: CountedSource
  readonly eventLog: EventLog
  /** When the record at an offset was appended by this run. */
  readonly appendedAt: ReadonlyMap<number, number>
  used(): UsedNow
  /** Resolves when a block is published. */
  published(block: number): Promise<void>
  /** Of the volume. */
  bytes(): number
}

/** A busy machine takes its time. */
const publishedMaxMs = 60 * 60_000

/** Ends the ingestor after the work. @throws what the work throws, or what halts the ingestor */
export async function withIngestor<T>(
  { chain, topics, folder, fromBlock, limits, onSwept = () => {} }: IngestorRunOptions,
  work: (run: IngestorRun) => Promise<T>,
): Promise<T> {
  const state = lmdbStateStore({ folder })
  const { eventLog, appendedAt } = timed(memoryEventLog(topics))
  const node = await countedSource(chain.node.url, onSwept)
  try {
    const { source } = node
    const ingestor = await startIngestor({ source, eventLog, state, fromBlock, limits })
    const failed = ingestor.failed.then((error) => Promise.reject(error))
    const isPublished = (block: number) => (ingestor.status().block ?? -1) >= block
    const run: IngestorRun = {
      ...{ ingestor, node, eventLog, appendedAt },
      used: () => usedNow(node, chain),
      published: (block) =>
        until(`block ${block} is published`, () => isPublished(block), publishedMaxMs),
      bytes: () => statSync(join(folder, stateFileName)).size,
    }
    return await Promise.race([work(run), failed]).finally(() => ingestor.stop())
  } finally {
    await node.source.close()
    await eventLog.close()
    await state.close()
  }
}

function usedNow(node: CountedSource, chain: GiftChain): UsedNow {
  const { user, system } = process.cpuUsage()
  return {
    ...node.asked(),
    atMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    nodeCpuMs: processNow(chain.node.pid).cpuMs,
  }
}

/** The log, and when it has appended what. */
function timed(log: EventLog) {
  const appendedAt = new Map<number, number>()
  const append: EventLog['append'] = async (topic, messages) => {
    const offsets = await log.append(topic, messages)
    const now = performance.now()
    for (const offset of offsets) appendedAt.set(offset, now)
    return offsets
  }
  return { eventLog: inPlaceOf(log, { append }), appendedAt }
}
