/** Those who wait for a change, whatever it is. */
export class Condition {
  readonly #waiting = new Set<() => void>()

  notify(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves at the next change, when the signal aborts, or after so long. */
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

  /** Resolves when it is so, or after so long. */
  async until(isSo: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!isSo()) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return
      await this.next({ timeoutMs: leftMs })
    }
  }
}
