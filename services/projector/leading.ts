export interface Lead {
  /** A group this far ahead of the other waits for it. Below what is cached: two flushes. */
  readonly leadBytesMax: number
  /** … for at most this time; a stalled group is not waited for until it advances. */
  readonly leadWaitMaxMs: number
}

export const leadDefault: Lead = { leadBytesMax: 8 * 1024 * 1024, leadWaitMaxMs: 10_000 }

/** How far the group that reads first is ahead of the one that reads the same after it. */
export class Leading {
  private readonly bounds: Lead
  /** Wire bytes by offset of what only one group has read, and is still cached. */
  private readonly unshared = new Map<number, number>()
  private bytes = 0
  /** Offset after the newest message that was read. */
  private end = 0
  private isFollowed = false
  private wake: (() => void) | null = null

  constructor(bounds: Lead) {
    this.bounds = bounds
  }

  async beforeRead(offset: number, signal?: AbortSignal): Promise<void> {
    const { leadBytesMax, leadWaitMaxMs } = this.bounds
    if (offset < this.end || !this.isFollowed || this.bytes < leadBytesMax) return
    if (signal?.aborted === true) return
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', go)
        resolve()
      }
      const timer = setTimeout(() => {
        this.isFollowed = false
        go()
      }, leadWaitMaxMs)
      signal?.addEventListener('abort', go, { once: true })
      this.wake = go
    })
  }

  decoded(at: number, bytes: number): void {
    if (at < this.end) return
    this.end = at + 1
    this.unshared.set(at, bytes)
    this.bytes += bytes
  }

  followed(at: number): void {
    if (!this.unshared.has(at)) return
    this.isFollowed = true
    this.forget(at)
    if (this.bytes < this.bounds.leadBytesMax) this.wake?.()
  }

  forget(at: number): void {
    this.bytes -= this.unshared.get(at) ?? 0
    this.unshared.delete(at)
  }
}
