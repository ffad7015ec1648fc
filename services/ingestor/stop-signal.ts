/** Ends pending reads and pauses at once when the ingestor is stopped. */
export class StopSignal {
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isStopped(): boolean {
    return this.signal.aborted
  }

  stop(): void {
    this.#controller.abort(new Error('stopped'))
  }

  /** Not for writes, which must be awaited. */
  unlessStopped<T>(question: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stopped = () => reject(this.signal.reason)
      if (this.isStopped) stopped()
      this.signal.addEventListener('abort', stopped, { once: true })
      question.then(resolve, reject).finally(() => {
        this.signal.removeEventListener('abort', stopped)
      })
    })
  }

  /** Resolves after `ms`, or at once when stopped. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isStopped) return resolve()
      const done = () => {
        clearTimeout(timer)
        this.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.signal.addEventListener('abort', done, { once: true })
    })
  }
}
