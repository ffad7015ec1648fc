import { BoundedQueue } from '../../../libs/bounds/bounded-queue.ts'
import { Overloaded } from '../../../libs/bounds/overloaded.ts'

/** Result size above which a load is large. */
export const smallResultBytesMax = 1024 * 1024

/**
 * Concurrent large loads. Each holds its results (4 MiB a query, twice that once decoded), its
 * items and its body: some 40 MiB at most.
 */
export const largeLoadsMax = 4
/** Queued large loads: fewer than all loads, so that loads of other pages still get slots. */
export const largeLoadsWaitingMax = 20
const waitMsMax = 6_000

/**
 * Bounds how many loads hold large results at once: further ones wait before reading theirs, those
 * of different clients in turn. Each client has its share of them, as of all page loads.
 */
export class LargeLoads {
  private readonly queue: BoundedQueue

  constructor(onChange?: (running: number) => void) {
    this.queue = new BoundedQueue({
      runningMax: largeLoadsMax,
      ownMin: 1,
      waitingMax: largeLoadsWaitingMax,
      waitMsMax,
      rejection: (_, sentence) => new Overloaded('too many large pages', sentence),
      onChange: onChange && (({ running }) => onChange(running)),
    })
  }

  /** For one load, which must call `end` when it is over. */
  begin({ signal, client }: LargeLoadOptions): LargeLoad {
    return new LargeLoad(this.queue, { signal, client })
  }
}

interface LargeLoadOptions {
  readonly signal?: AbortSignal | undefined
  /** Whose request began the load: asked only if it is large. */
  readonly client?: (() => string) | undefined
}

/** A load that holds no slot for large results until it acquires one. */
export class LargeLoad {
  private readonly queue: BoundedQueue
  private readonly options: LargeLoadOptions
  private acquiring: Promise<void> | null = null
  private isOver = false
  private release = () => {}

  constructor(queue: BoundedQueue, options: LargeLoadOptions) {
    this.queue = queue
    this.options = options
  }

  get isLarge(): boolean {
    return this.acquiring !== null
  }

  /** Resolves when it holds a slot. @throws the reason of the signal */
  acquire(): Promise<void> {
    this.acquiring ??= new Promise((resolve, reject) => {
      const hold = () =>
        new Promise<void>((release) => {
          this.release = release
          resolve()
          // The load may have failed while it was queued.
          if (this.isOver) release()
        })
      const { signal, client } = this.options
      this.queue.run(hold, { signal, client: client?.() }).catch(reject)
    })
    return this.acquiring
  }

  end(): void {
    this.isOver = true
    this.release()
  }
}
