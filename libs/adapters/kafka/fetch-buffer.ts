import type { ReadLimit, StoredMessage } from '../../ports/event-log.ts'

/** Fetched messages of one topic that are not consumed yet, in order. */
export class FetchBuffer {
  #messages: StoredMessage[] = []
  #bytes = 0
  #start: number
  #next: number

  constructor(offset: number) {
    this.#start = offset
    this.#next = offset
  }

  /** Offset of the first buffered position. */
  get start(): number {
    return this.#start
  }

  /** Next offset to fetch. */
  get next(): number {
    return this.#next
  }

  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** Discards messages before `offset`. @returns whether the offset is outside of the buffer */
  moveTo(offset: number): boolean {
    if (offset < this.#start || offset > this.#next) {
      this.#messages = []
      this.#bytes = 0
      this.#start = offset
      this.#next = offset
      return true
    }
    const kept = this.#messages.findIndex((message) => message.offset >= offset)
    const done = this.#messages.splice(0, kept === -1 ? this.#messages.length : kept)
    for (const { value } of done) this.#bytes -= value.length
    this.#start = offset
    return false
  }

  /** Discards all messages: they are fetched again. */
  clear(): void {
    this.#messages = []
    this.#bytes = 0
    this.#next = this.#start
  }

  /** @param next the offset after the last one of the batch: a compacted topic has gaps */
  add(messages: readonly StoredMessage[], next: number): void {
    for (const message of messages) {
      this.#messages.push(message)
      this.#bytes += message.value.length
    }
    this.#next = next
  }

  /** Messages stay buffered until the reader moves past them. */
  read({ messagesMax, bytesMax }: ReadLimit): readonly StoredMessage[] {
    let bytes = 0
    let count = 0
    for (const { value } of this.#messages) {
      if (count === messagesMax || bytes >= bytesMax) break
      bytes += value.length
      count++
    }
    return this.#messages.slice(0, count)
  }
}
