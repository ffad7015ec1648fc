import type { Random } from '../../queries/random.ts'

/** A target that was answered with 200. */
export interface SeenPage {
  readonly target: string
  /** The newest ETag that a client has received for it. */
  readonly tag: string
}

const pagesMax = 16

/** Pages that the server has shown, the oldest forgotten: what many clients request again. */
export class SeenPages {
  readonly #targets: string[] = []
  readonly #tags = new Map<string, string>()
  #next = 0

  see({ target, tag }: SeenPage): void {
    if (!this.#tags.has(target)) {
      const oldest = this.#targets[this.#next]
      if (oldest !== undefined) this.#tags.delete(oldest)
      this.#targets[this.#next] = target
      this.#next = (this.#next + 1) % pagesMax
    }
    this.#tags.set(target, tag)
  }

  /** Some far more often than others, as clients do. Null until there is one. */
  one({ below }: Random): SeenPage | null {
    const target = this.#targets[below(1 + below(this.#targets.length))]
    const tag = target === undefined ? undefined : this.#tags.get(target)
    return target === undefined || tag === undefined ? null : { target, tag }
  }
}
