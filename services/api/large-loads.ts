import { BoundedQueue } from '../../libs/adapters/queue/bounded-queue.ts'
import { Overloaded } from './overloaded.ts'

/** Bytes of a result above which a load is large. */
export const smallResultBytesMax = 1024 * 1024

/**
 * Of large loads at once. Each holds its results (4 MiB a query, twice that once decoded), its
 * items and its body: some 40 MiB at most.
 */
export const largeLoadsMax = 4
/** … that wait for their turn: less than all loads, so that those of other pages have places. */
export const largeLoadsWaitingMax = 20
const waitMsMax = 6_000

/** Bounds how many loads hold large results at once: the others wait before they read theirs. */
export class LargeLoads {
  private readonly queue: BoundedQueue

  constructor(onChange?: (running: number) => void) {
    this.queue = new BoundedQueue({
      runningMax: largeLoadsMax,
      waitingMax: largeLoadsWaitingMax,
      waitMsMax,
      refusal: (_, sentence) => new Overloaded('too many large pages', sentence),
      onChange: onChange && (({ running }) => onChange(running)),
    })
  }

  /** For one load; `end` is to be called when it is over. */
  begin(signal: AbortSignal | undefined): LargeLoad {
    return new LargeLoad(this.queue, signal)
  }
}

/** A load that may become a large one. */
export class LargeLoad {
  private readonly queue: BoundedQueue
  private readonly signal: AbortSignal | undefined
  private becoming: Promise<void> | null = null
  private isOver = false
  private leave = () => {}

  constructor(queue: BoundedQueue, signal: AbortSignal | undefined) {
    this.queue = queue
    this.signal = signal
  }

  get isLarge(): boolean {
    return this.becoming !== null
  }

  /** Resolves when there is place for its results. @throws the reason of the signal */
  become(): Promise<void> {
    this.becoming ??= new Promise((resolve, reject) => {
      const held = () =>
        new Promise<void>((leave) => {
          this.leave = leave
          resolve()
          // The load may have failed while it waited here.
          if (this.isOver) leave()
        })
      this.queue.run(held, this.signal).catch(reject)
    })
    return this.becoming
  }

  end(): void {
    this.isOver = true
    this.leave()
  }
}
