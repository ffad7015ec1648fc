/**
 * Topics in order, each of one partition: Kafka on a cluster, one LMDB file in the embedded form.
 * Every method may throw LogUnavailable; LMDB throws BrokenFile, which nothing mends. A log that
 * lies in a file is appended to by the process that opened it last; `append` of the others throws
 * Fenced.
 */
export interface EventLog {
  /**
   * Durable when the promise resolves. Where LogUnavailable is thrown, any number of the messages
   * may have been appended, or may be yet: read back, or say it again.
   *
   * @returns the offset of each message; others may have appended in between
   */
  append(topic: string, messages: readonly LogMessage[]): Promise<readonly number[]>
  /**
   * Up to `messagesMax` messages and about `bytesMax` bytes from `offset` on, or from the next one
   * that is held (a compacted topic has holes); empty at the end, and while another member of a
   * consumer group reads in our place: `waitBeyond` then waits for our turn. To read a single
   * message is to look it up: it does not end the reading ahead from where the last read was.
   *
   * @throws OffsetLost if `offset` is not between `begin` and `end`
   */
  read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]>
  /** The offset of the oldest message held; `end` if there is none. */
  begin(topic: string): Promise<number>
  /** The offset that the next message will get. */
  end(topic: string): Promise<number>
  /**
   * Resolves when there is something at or above `offset` to read, or when the signal aborts, or
   * the log closes; also where `offset` is lost: `read` says so.
   */
  waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface LogMessage {
  readonly key: string
  readonly value: Uint8Array
  /** What a publisher added, as text. Kafka keeps them, LMDB does not. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface StoredMessage extends LogMessage {
  readonly offset: number
  /**
   * When it was appended, in ms since 1970; absent where the log does not record it. For people,
   * and to tell messages of equal content apart: no fold may depend on it.
   */
  readonly time?: number
}

export interface ReadLimit {
  readonly messagesMax: number
  readonly bytesMax: number
}

/** The log cannot be reached, or did not answer in time: worth another try later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
}

/** What lies in a topic: the oldest offset held, and the one that the next message will get. */
export interface OffsetRange {
  readonly begin: number
  readonly end: number
}

/** The topic does not hold the offset (any more): it was cut, or is another one of that name. */
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
