/** Topics in order: Kafka on a cluster, one LMDB file in the embedded form. */
export interface EventLog {
  /** Durable when the promise resolves. @returns the offset of the first message. */
  append(topic: string, messages: readonly LogMessage[]): Promise<number>
  /** Up to `messagesMax` messages and about `bytesMax` bytes from `offset` on; empty at the end. */
  read(topic: string, offset: number, limit: ReadLimit): Promise<readonly StoredMessage[]>
  /** The offset that the next message will get. */
  end(topic: string): Promise<number>
  /** Resolves when `end(topic)` is above `offset`, or when the signal aborts. */
  waitBeyond(topic: string, offset: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface LogMessage {
  readonly key: string
  readonly value: Uint8Array
}

export interface StoredMessage extends LogMessage {
  readonly offset: number
}

export interface ReadLimit {
  readonly messagesMax: number
  readonly bytesMax: number
}
