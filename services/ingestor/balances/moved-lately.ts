import { tokenNameOf } from './pair-key.ts'

/** Blocks, and their pairs, that are remembered. */
const [blocksMax, pairsMax] = [64, 300_000]

/** Which pairs the newest blocks have moved: an observation may be outdated by one of them. */
export class MovedLately {
  /** By block, names of keys and of whole tokens; null: not all are known. */
  readonly #moved = new Map<number, ReadonlySet<string> | null>()

  /** @param moved null where not all pairs of the block are known */
  note(block: number, moved: ReadonlySet<string> | null): void {
    this.#moved.set(block, moved)
    let count = [...this.#moved.values()].reduce((sum, names) => sum + (names?.size ?? 0), 0)
    for (const [number, names] of this.#moved) {
      if (this.#moved.size <= blocksMax && count <= pairsMax) return
      this.#moved.delete(number)
      count -= names?.size ?? 0
    }
  }

  /** It is left. */
  forget(block: number): void {
    this.#moved.delete(block)
  }

  clear(): void {
    this.#moved.clear()
  }

  /** Whether it is known what the blocks after `block` have changed. */
  isFollowed(block: number, head: number): boolean {
    for (let number = head; number > block; number--) if (!this.#moved.get(number)) return false
    return true
  }

  /** Whether a block after that of an observation has changed the pair, or may have. */
  isOutdated(name: string, block: number, head: number): boolean {
    for (let number = head; number > block; number--) {
      const moved = this.#moved.get(number)
      if (!moved || moved.has(name) || moved.has(tokenNameOf(name))) return true
    }
    return false
  }
}
