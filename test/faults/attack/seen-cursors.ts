import { z } from 'zod'
import type { Random } from '../../queries/random.ts'

/** Where a page goes on: its path, and the parameters that it gave. */
export interface SeenCursor {
  readonly path: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

const cursorsMax = 128
const page = z.looseObject({
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})

/** Cursors that the server itself has given, the oldest forgotten: pages of any depth. */
export class SeenCursors {
  readonly #cursors: SeenCursor[] = []
  #next = 0

  /** Takes the cursor of a page, if it has one. */
  see(path: string, body: unknown): void {
    const { data } = page.safeParse(body)
    if (data === undefined) return
    const parameters = Object.entries(data.next_page_params).map(
      ([name, value]) => [name, String(value)] as const,
    )
    this.#cursors[this.#next % cursorsMax] = { path, parameters }
    this.#next += 1
  }

  /** Null until there is one. */
  one(random: Random): SeenCursor | null {
    return this.#cursors.length === 0 ? null : random.oneOf(this.#cursors)
  }
}
