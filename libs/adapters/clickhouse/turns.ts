import pLimit from 'p-limit'
import { StoreUnavailable } from '../../ports/store.ts'

export interface TurnsLimits {
  /** Questions at once. */
  readonly maxConnections: number
  /** Questions that wait for their turn; the next is refused at once. */
  readonly waitingMax: number
  /** A question whose turn has not come by then is given up. */
  readonly waitMsMax: number
}

/** Questions take turns, in the order in which they came. */
export class Turns {
  private readonly gate: ReturnType<typeof pLimit>
  private readonly limits: TurnsLimits

  constructor(limits: TurnsLimits) {
    this.limits = limits
    this.gate = pLimit(limits.maxConnections)
  }

  /** @throws StoreUnavailable where too many wait, or this one would for too long */
  take<T>(ask: () => Promise<T>): Promise<T> {
    const { waitingMax, waitMsMax } = this.limits
    const waiting = this.gate.pendingCount
    if (waiting >= waitingMax) {
      const sentence = `${waiting} questions wait for the store already`
      return Promise.reject(new StoreUnavailable(sentence))
    }
    return new Promise((resolve, reject) => {
      let stage: 'waits' | 'asked' | 'given up' = 'waits'
      const giveUp = () => {
        if (stage !== 'waits') return
        stage = 'given up'
        reject(new StoreUnavailable(`no connection to the store was free within ${waitMsMax} ms`))
      }
      // Sockets are read once more before it is declared: it may be us who were busy.
      const timer = setTimeout(() => setImmediate(giveUp), waitMsMax)
      void this.gate(async () => {
        if (stage === 'given up') return
        stage = 'asked'
        clearTimeout(timer)
        await ask().then(resolve, reject)
      })
    })
  }
}
