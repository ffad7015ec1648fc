/** Counts what runs at once, by key. Nothing waits: without a free place the work is not begun. */
export class Places {
  readonly #taken = new Map<string, number>()

  /** @returns what gives the place back, once; null if `max` places of the key are taken */
  take(key: string, max: number): (() => void) | null {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= max) return null
    this.#taken.set(key, taken + 1)
    return () => {
      const left = (this.#taken.get(key) ?? 0) - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
    }
  }
}
