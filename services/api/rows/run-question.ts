import { ResultTooLarge, type Store } from '../../../libs/ports/store.ts'
import type { BatchReader } from '../../../libs/queries/reading/batch.ts'
import type { Question } from '../../../libs/queries/reading/question.ts'
import { resultBytesMax } from '../../../libs/queries/reading/read-limits.ts'
import type { RunOptions } from '../../../libs/queries/reading/run-options.ts'
import { groupOfId } from '../../../libs/tables/declare/group-versions.ts'
import { type LargeLoad, smallResultBytesMax } from './large-loads.ts'
import { type ReadThroughOptions, readThrough } from './read-through.ts'
import { fromCurrentReplica, type ReplicaCheck } from './replica-check.ts'

/** What all reads of one answer share. */
export interface ReadContext {
  /** Cancels the reads, which reject with its reason. */
  readonly signal?: AbortSignal | undefined
  /** The slot to acquire before reading large results; none needed without it. */
  readonly large?: Pick<LargeLoad, 'isLarge' | 'acquire'>
  /** Whether rows came from a replica behind what was announced: they must not be cached. */
  isBehind: boolean
}

/** Answers a question from the tables; specs answer questions themselves. */
export type RunQuestion = <O, R>(
  question: Question<O, R>,
  options: NoInfer<O>,
  context: ReadContext,
) => Promise<R>

export interface RunOnStoreOptions {
  /** The shared cache in front of some tables; none by default. */
  readonly cache?: ReadThroughOptions | null
  /** Checks that a replica is not behind; none by default. */
  readonly check?: ReplicaCheck | null
  /** Announced position of the log's last hole; 0 without one. */
  readonly knownFrom?: () => number
}

/**
 * Runs questions on a store: of the rows that are cached, only the missing ones are read there.
 * Concurrent reads of one question share queries, if it declares how.
 */
export function runOnStore(
  store: Store,
  { cache = null, check = null, knownFrom = () => 0 }: RunOnStoreOptions = {},
): RunQuestion {
  const read = <T>(
    context: ReadContext,
    work: (answerStore: Store, run: Partial<RunOptions>) => Promise<T>,
    bytesMax = Number.POSITIVE_INFINITY,
  ): Promise<T> => {
    const answerStore = withinBytes(storeForAnswer(store, context, check), bytesMax)
    const shared = { knownFrom: knownFrom() }
    if (cache === null) return work(answerStore, shared)
    return work(answerStore, {
      ...shared,
      subjectRows: (rows, subjects) => {
        const readRows = (missing: typeof subjects) => rows.read(answerStore, missing)
        return readThrough({ ...rows, read: readRows }, subjects, { ...cache, context })
      },
    })
  }
  const reader: BatchReader = {
    async read(work, { reads, signal }) {
      const context = { signal, isBehind: false }
      // None of these has a slot for large results: a read whose own are large gets one alone.
      const bytesMax = Math.min(resultBytesMax, reads * smallResultBytesMax)
      const result = await read(context, (answerStore, run) => work(answerStore, run), bytesMax)
      return { result, isBehind: context.isBehind }
    },
  }
  return async (question, options, context) => {
    const shared = await question.batch?.run(reader, options, context.signal)
    if (!shared) return read(context, (answerStore, run) => question(answerStore, options, run))
    if (shared.isBehind) context.isBehind = true
    return shared.result
  }
}

/** A store whose results have so many bytes together. @throws ResultTooLarge beyond */
function withinBytes(store: Store, bytesMax: number): Store {
  let left = bytesMax
  const tooLong = () => new ResultTooLarge(`results have more than ${bytesMax} bytes together`)
  if (left === Number.POSITIVE_INFINITY) return store
  return {
    ...store,
    async query(sql, parameters, options = {}) {
      if (left <= 0) throw tooLong()
      const { bytesMax: ownMax = left } = options
      const rows = await store.query(sql, parameters, {
        ...options,
        bytesMax: Math.min(ownMax, left),
      })
      left -= rows.length
      if (left < 0) throw tooLong()
      return rows
    },
  }
}

/**
 * The store for the reads of one answer: cancelled by its signal, from a replica that is not
 * behind, and large results only with a slot for them.
 */
export const storeForAnswer = (
  store: Store,
  context: ReadContext,
  check: ReplicaCheck | null,
): Store => ({
  ...store,
  query(sql, parameters, options = {}) {
    const group = options.group === undefined ? null : groupOfId(options.group)
    const query = (bytesMax: number | undefined) => {
      const sent = { ...options, bytesMax, signal: context.signal }
      if (check === null || group === null) return store.query(sql, parameters, sent)
      return fromCurrentReplica({ ...check, context }, group, (condition) =>
        store.query(sql, parameters, { ...sent, ...condition }),
      )
    }
    return withSlot(context.large, options.bytesMax, query)
  },
})

/** Reads small results immediately, a large one after the load has acquired a slot. */
async function withSlot<T>(
  large: ReadContext['large'],
  bytesMax: number | undefined,
  query: (bytesMax: number | undefined) => Promise<T>,
): Promise<T> {
  if (large === undefined || bytesMax === undefined || bytesMax <= smallResultBytesMax) {
    return query(bytesMax)
  }
  if (!large.isLarge) {
    try {
      return await query(smallResultBytesMax)
    } catch (error) {
      if (!(error instanceof ResultTooLarge)) throw error
    }
  }
  await large.acquire()
  return query(bytesMax)
}
