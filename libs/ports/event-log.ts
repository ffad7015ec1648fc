/**
 * Topics in order, each of one partition: Kafka on a cluster, one LMDB file in the embedded form.
 * Every method may throw LogUnavailable; LMDB throws BrokenFile, which is not recoverable. A log in
 * a file is appended to by the process that opened it last; `append` of the others throws Fenced.
 */
export interface EventLog {
  /**
   * Durable when the promise resolves. If LogUnavailable is thrown, any number of the messages may
   * have been appended, or may still be: read back, or append again.
   *
   * @returns the offset of each message; others may have appended in between
   */
  append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]>
  /**
   * Up to `messagesMax` messages and about `bytesMax` bytes from `offset` on, or from the next
   * stored offset (a compacted topic has gaps); empty at the end, and while the partition is
   * assigned to another member of the consumer group: `waitBeyond` then waits for the assignment.
   * Reading a single message is a lookup: it does not reset the read-ahead of the last read.
   *
   * @throws OffsetLost if `offset` is not between `begin` and `end`
   */
  read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]>
  /** The offset of the oldest stored message; `end` if there is none. */
  begin(topic: string): Promise<number>
  /** The offset that the next message will get. */
  end(topic: string): Promise<number>
  /**
   * Resolves when a message at or above `offset` can be read, when the signal aborts, or when the
   * log closes; also if `offset` is out of range, which `read` then reports.
   */
  waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface LogMessage {
  readonly key: string
  readonly value: Uint8Array
  /** Record headers as text. Kafka stores them, LMDB does not. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface StoredMessage extends LogMessage {
  readonly offset: number
  /**
   * Append time in ms since 1970; absent if the log does not record it. For display, and to
   * distinguish messages of equal content: no fold may depend on it.
   */
  readonly time?: number
}

export interface ReadLimit {
  readonly messagesMax: number
  readonly bytesMax: number
}

/** The log is unreachable or did not respond in time: retry later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/** Offsets of a topic: the oldest stored one, and the one that the next message will get. */
export interface OffsetRange {
  readonly begin: number
  readonly end: number
}

/** Offset out of range: the topic was truncated, or recreated under the same name. */
export class OffsetLost extends Error {
  override readonly name = 'OffsetLost'
  readonly range: OffsetRange

  constructor(topic: string, offset: number, held: OffsetRange) {
    super(
      `topic ${topic} holds offsets ${held.begin} to ${held.end}, and ${offset} is asked for: ` +
        'its older messages were deleted, or it was recreated',
    )
    this.range = held
  }
}
