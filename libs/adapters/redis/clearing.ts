import type { Redis } from 'ioredis'
import { within } from './within.ts'

interface ClearingOptions {
  /** All that begins with it is removed. */
  readonly prefix: string
  /** Lies outside of it while a removal is not done: who connects next finishes that. */
  readonly marker: string
  readonly commandTimeoutMs: number
  /** Looked at in one step. */
  readonly keysMax: number
}

/**
 * Removes all entries of a cache, step by step. It may fail at any step; half of the entries must
 * never be taken for what a cache holds, so what was begun is due until somebody finishes it.
 */
export class Clearing {
  readonly #options: ClearingOptions
  #wanted = 0
  #done = 0

  constructor(options: ClearingOptions) {
    this.#options = options
  }

  /** Until it is done, nothing in the cache counts. */
  get isDue(): boolean {
    return this.#done < this.#wanted
  }

  begin(): void {
    this.#wanted++
  }

  /** Does what this process, or another one, has begun. @throws if a step fails: it stays due */
  async finish(redis: Redis): Promise<void> {
    const { marker } = this.#options
    if (!this.isDue) {
      if ((await this.#step(redis.exists(marker))) === 0) return
      this.begin()
    }
    const doing = this.#wanted
    await this.#step(redis.set(marker, '1'))
    await this.#removeAll(redis)
    await this.#step(redis.del(marker))
    this.#done = doing
  }

  async #removeAll(redis: Redis): Promise<void> {
    const { prefix, keysMax } = this.#options
    const pattern = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`
    let cursor = '0'
    do {
      const asked = redis.scan(cursor, 'MATCH', pattern, 'COUNT', keysMax)
      const [next, keys] = await this.#step(asked)
      if (keys.length > 0) await this.#step(redis.unlink(keys))
      cursor = next
    } while (cursor !== '0')
  }

  #step<T>(answer: Promise<T>): Promise<T> {
    return within(this.#options.commandTimeoutMs, answer)
  }
}
