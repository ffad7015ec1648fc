/** How old the oldest message is that a group has read and not indexed. For metrics alone. */
export class GroupLag {
  /** Append times in ms since 1970 of what is folded, and flushed; null if nothing is. */
  private folded: number | null = null
  private flushing: number | null = null

  /** @param time when it was appended; now, if the log does not record that */
  reads(time = Date.now()): void {
    this.folded ??= time
  }

  /** All that was read is being flushed: one flush at a time. */
  flushes(): void {
    this.flushing = this.folded
    this.folded = null
  }

  flushed(): void {
    this.flushing = null
  }

  /** What was read made no rows: it is not waited for. */
  waits(): void {
    this.folded = null
  }

  seconds(now = Date.now()): number {
    const oldest = this.flushing ?? this.folded
    return oldest === null ? 0 : Math.max(0, now - oldest) / 1_000
  }
}
