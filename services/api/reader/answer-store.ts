import { ResultTooLarge, type Store } from '../../../libs/ports/store.ts'
import { smallResultBytesMax } from '../pages/large-loads.ts'
import type { ReadContext } from './read-context.ts'
import { fromCurrentReplica, type ReplicaCheck } from './replica-check.ts'

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
    const { group } = options
    const query = (bytesMax: number | undefined) => {
      const sent = { ...options, bytesMax, signal: context.signal }
      if (check === null || group === undefined) return store.query(sql, parameters, sent)
      return fromCurrentReplica({ ...check, context }, group, (position) =>
        store.query(sql, parameters, { ...sent, position }),
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
