/**
 * Places of requests that wait, all of them bounded, and those of one client by what is left for
 * others: it may have as many as are free (a dynamic threshold, as switches share their buffers).
 * The last eighth is for clients that have none.
 */
export class WaitingPlaces {
  private readonly max: number
  private readonly reserve: number
  private readonly counts = new Map<string, number>()
  private taken = 0

  constructor(max: number) {
    this.max = max
    this.reserve = Math.floor(max / 8)
  }

  /** @param client undefined: not bounded by client */
  hasPlace(client: string | undefined): boolean {
    const free = this.max - this.taken
    const own = client === undefined ? 0 : (this.counts.get(client) ?? 0)
    return free > 0 && (own === 0 || own < free - this.reserve)
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
