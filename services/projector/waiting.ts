/** Waiters for a position. */
export class Waiting {
  private readonly waiters = new Set<{ sequence: number; resolve: () => void; reject: Reject }>()
  private reached = 0
  private ended: Error | null = null

  /** Resolves when `sequence` is reached. @throws what ended the projector before. */
  until(sequence: number): Promise<void> {
    if (sequence <= this.reached) return Promise.resolve()
    if (this.ended !== null) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => this.waiters.add({ sequence, resolve, reject }))
  }

  reach(sequence: number): void {
    this.reached = sequence
    for (const waiter of this.waiters) {
      if (waiter.sequence > sequence) continue
      this.waiters.delete(waiter)
      waiter.resolve()
    }
  }

  end(reason: Error): void {
    this.ended = reason
    for (const { reject } of this.waiters) reject(reason)
    this.waiters.clear()
  }
}

type Reject = (reason: Error) => void
