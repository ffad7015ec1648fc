import { ResultTooLarge, type Store } from '../../../libs/ports/store.ts'
import { smallResultBytesMax } from '../pages/large-loads.ts'
import type { ReadContext } from './reads.ts'
import { fromCurrentReplica, type ReplicaCheck } from './replica-check.ts'

/**
 * The store as one answer reads it: until its signal aborts, from a replica that is not behind, and
 * large results only when there is place for them.
 */
export const storeForAnswer = (
  store: Store,
  context: ReadContext,
  check: ReplicaCheck | null,
): Store => ({
  ...store,
  query(sql, parameters, options = {}) {
    const { group } = options
    const ask = (bytesMax: number | undefined) => {
      const sent = { ...options, bytesMax, signal: context.signal }
      if (check === null || group === undefined) return store.query(sql, parameters, sent)
      return fromCurrentReplica({ ...check, context }, group, (position) =>
        store.query(sql, parameters, { ...sent, position }),
      )
    }
    return inPlace(context.large, options.bytesMax, ask)
  },
})

/** Small results at once; a large one is read when the load has become a large one. */
async function inPlace<T>(
  large: ReadContext['large'],
  bytesMax: number | undefined,
  ask: (bytesMax: number | undefined) => Promise<T>,
): Promise<T> {
  if (large === undefined || bytesMax === undefined || bytesMax <= smallResultBytesMax) {
    return ask(bytesMax)
  }
  if (!large.isLarge) {
    try {
      return await ask(smallResultBytesMax)
    } catch (error) {
      if (!(error instanceof ResultTooLarge)) throw error
    }
  }
  await large.acquire()
  return ask(bytesMax)
}
