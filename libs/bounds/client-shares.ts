interface ClientSharesOptions {
  /** Concurrent tasks of all clients. */
  readonly runningMax: number
  /** Concurrent tasks that each client may have, however many others there are. */
  readonly ownMin: number
  /** Milliseconds of a clock that never goes backward. */
  readonly now: () => number
}

/** A client is active if it asked in this period or in the one before, in milliseconds. */
export const periodMs = 1_000

/**
 * How many tasks one client may run concurrently: an equal share of all among the active clients,
 * and at least `ownMin`. A client that is alone may run as many as there are. Without it one client
 * takes all places whenever it asks for more than are free, and the next task of another one waits
 * until one of them ends, and is then one of many that run.
 */
export class ClientShares {
  private readonly options: ClientSharesOptions
  /** More active clients than that change nothing: each may run `ownMin`. */
  private readonly activeMax: number
  private readonly running = new Map<string, number>()
  private active = new Set<string>()
  private activeBefore = new Set<string>()
  private period = 0

  constructor(options: ClientSharesOptions) {
    this.options = options
    this.activeMax = Math.ceil(options.runningMax / options.ownMin)
  }

  /** A client asks to run a task. */
  saw(client: string): void {
    this.forget()
    if (this.active.size < this.activeMax) this.active.add(client)
  }

  hasRoom(client: string): boolean {
    return (this.running.get(client) ?? 0) < this.share()
  }

  began(client: string): void {
    this.running.set(client, (this.running.get(client) ?? 0) + 1)
  }

  ended(client: string): void {
    const left = (this.running.get(client) ?? 0) - 1
    if (left > 0) this.running.set(client, left)
    else this.running.delete(client)
  }

  private share(): number {
    this.forget()
    let clients = this.active.size
    for (const client of this.activeBefore) if (!this.active.has(client)) clients += 1
    const { runningMax, ownMin } = this.options
    return Math.max(ownMin, Math.floor(runningMax / Math.max(1, clients)))
  }

  private forget(): void {
    const period = Math.floor(this.options.now() / periodMs)
    if (period === this.period) return
    this.activeBefore = period === this.period + 1 ? this.active : new Set()
    this.active = new Set()
    this.period = period
  }
}
