/**
 * Places of requests that wait, all of them bounded, and those of one client by what is left for
 * others: it may have as many as are free (a dynamic threshold, as switches share their buffers).
 * A client that is alone gets half of them, so there is always a place for the next one.
 */
export class WaitingPlaces {
  private readonly max: number
  private readonly counts = new Map<string, number>()
  private taken = 0

  constructor(max: number) {
    this.max = max
  }

  /** @param client undefined: not bounded by client */
  hasPlace(client: string | undefined): boolean {
    const free = this.max - this.taken
    return free > 0 && (client === undefined || (this.counts.get(client) ?? 0) < free)
  }

  take(client: string | undefined): void {
    this.taken += 1
    if (client !== undefined) this.counts.set(client, (this.counts.get(client) ?? 0) + 1)
  }

  release(client: string | undefined): void {
    this.taken -= 1
    if (client === undefined) return
    const left = (this.counts.get(client) ?? 0) - 1
    if (left > 0) this.counts.set(client, left)
    else this.counts.delete(client)
  }
}
