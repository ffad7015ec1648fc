import type { ReadLimit, StoredMessage } from '../../ports/event-log.ts'

/** Messages of one topic that came and were not read on from yet, in order. */
export class FetchBuffer {
  #messages: StoredMessage[] = []
  #bytes = 0
  #start: number
  #next: number

  constructor(offset: number) {
    this.#start = offset
    this.#next = offset
  }

  /** From here on all that came is here. */
  get start(): number {
    return this.#start
  }

  /** What comes next. */
  get next(): number {
    return this.#next
  }

  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** What comes before `offset` is not asked for any more. @returns whether it had to jump */
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

  /** Forgets what was not read on from: it comes again. */
  clear(): void {
    this.#messages = []
    this.#bytes = 0
    this.#next = this.#start
  }

  /** @param next the offset after the last one that was looked at: a compacted topic has holes */
  add(messages: readonly StoredMessage[], next: number): void {
    for (const message of messages) {
      this.#messages.push(message)
      this.#bytes += message.value.length
    }
    this.#next = next
  }

  /** They stay here until the reader moves beyond them. */
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
