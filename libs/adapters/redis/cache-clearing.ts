import type { Redis } from 'ioredis'
import { withTimeout } from './redis-timeout.ts'

interface ClearingOptions {
  /** Prefix of the keys to remove. */
  readonly prefix: string
  /** Key outside the prefix, set while a removal is unfinished: the next connection finishes it. */
  readonly marker: string
  readonly commandTimeoutMs: number
  /** Keys scanned in one step. */
  readonly keysMax: number
}

/**
 * Removes all entries of a cache, step by step. Any step may fail. A partly cleared cache must not
 * be read, so a removal stays due until this or another process has finished it.
 */
export class CacheClearing {
  readonly #options: ClearingOptions
  #wanted = 0
  #done = 0

  constructor(options: ClearingOptions) {
    this.#options = options
  }

  /** Until it is done, no entry of the cache is valid. */
  get isDue(): boolean {
    return this.#done < this.#wanted
  }

  begin(): void {
    this.#wanted++
  }

  /** Finishes a removal of this or another process. @throws if a step fails: it stays due */
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
    return withTimeout(this.#options.commandTimeoutMs, answer)
  }
}
