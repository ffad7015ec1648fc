/** Condition variable: waits for notifications. */
export class Condition {
  readonly #waiting = new Set<() => void>()

  notify(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves at the next notification, when the signal aborts, or after the timeout. */
  next({ signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number }): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs)
      signal?.addEventListener('abort', done, { once: true })
      this.#waiting.add(done)
    })
  }

  /** Resolves when the predicate is true, or after the timeout. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!isSo()) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return
      await this.next({ timeoutMs: leftMs })
    }
  }
}
