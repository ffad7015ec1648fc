import { createHash, randomBytes } from 'node:crypto'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'

/** Of a digest: as many as a number holds exactly. */
const placeBytes = 6
const ringSize = 2 ** (8 * placeBytes)

/**
 * Turns among tokens without a memory of them: each has a place on a ring, and those that come next
 * after the last one have their turn. Of n tokens that ask in each block, one that is there each
 * time has its turn within n turns. Places are secret: nobody can make contracts whose turns come
 * before those of others.
 */
export class TokenRing {
  readonly #secret = randomBytes(16)
  #at = 0

  /** The next of some tokens, in the order of their turns. */
  async next(
    tokens: Iterable<Address>,
    { countMax, pause }: { readonly countMax: number; readonly pause: Pause },
  ): Promise<readonly Address[]> {
    if (countMax <= 0) return []
    const nearest: { readonly token: Address; readonly distance: number }[] = []
    for (const token of tokens) {
      const paused = pause()
      if (paused !== undefined) await paused
      const distance = (this.#placeOf(token) - this.#at + ringSize) % ringSize
      const farthest = nearest.at(-1)?.distance ?? Number.POSITIVE_INFINITY
      if (nearest.length === countMax && distance >= farthest) continue
      if (nearest.length === countMax) nearest.pop()
      const after = nearest.findIndex((other) => other.distance > distance)
      nearest.splice(after < 0 ? nearest.length : after, 0, { token, distance })
    }
    const { distance = -1 } = nearest.at(-1) ?? {}
    this.#at = (this.#at + distance + 1) % ringSize
    return nearest.map(({ token }) => token)
  }

  #placeOf(token: Address): number {
    const digest = createHash('sha256').update(this.#secret).update(token).digest()
    return digest.readUIntBE(0, placeBytes)
  }
}
