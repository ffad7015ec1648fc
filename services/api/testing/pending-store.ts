import type { Store } from '../../../libs/ports/store.ts'

/** A query that was sent and has no answer yet. */
export interface PendingQuery {
  /** From 0, in the order in which they were sent. */
  readonly number: number
  /** Lets the answer of the inner store through. */
  answer(): void
  fail(error: Error): void
}

/** A store whose queries stay pending until the test answers or fails them, in any order. */
export function pendingStore(inner: Store) {
  const pending: PendingQuery[] = []
  let [sentCount, abortedCount] = [0, 0]
  const query: Store['query'] = (...sent) =>
    new Promise((resolve, reject) => {
      const [, , { signal } = {}] = sent
      signal?.addEventListener('abort', () => {
        abortedCount += 1
        reject(signal.reason)
      })
      pending.push({
        number: sentCount++,
        answer: () => resolve(inner.query(...sent)),
        fail: reject,
      })
    })
  const store: Store = { ...inner, query }
  return { store, pending, aborted: () => abortedCount }
}
