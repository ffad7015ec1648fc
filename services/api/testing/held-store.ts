import type { Store } from '../../../libs/ports/store.ts'

/** A query that was sent and has no answer yet. */
export interface HeldQuery {
  /** From 0, in the order in which they were sent. */
  readonly number: number
  /** Lets the answer of the inner store through. */
  answer(): void
  fail(error: Error): void
}

/** A store whose queries stay pending until the test answers or fails them, in any order. */
export function heldStore(inner: Store): { store: Store; pending: HeldQuery[] } {
  const pending: HeldQuery[] = []
  let sentCount = 0
  const query: Store['query'] = (...sent) =>
    new Promise((resolve, reject) => {
      pending.push({
        number: sentCount++,
        answer: () => resolve(inner.query(...sent)),
        fail: reject,
      })
    })
  return { store: { ...inner, query }, pending }
}
