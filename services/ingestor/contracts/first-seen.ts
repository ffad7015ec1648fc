import type { Hash } from '../../../libs/chain/hex.ts'
import type { SourceBlock } from '../../../libs/ports/chain-source.ts'

/** Blocks whose time is kept: those that are fetched again when they could not be published. */
const keptMax = 256
/** Deeper blocks are a backlog: their times say how fast it shrinks, not how new blocks do. */
const nearHeadBlocksMax = 64

/** When the newest blocks of the source were first there. For metrics alone. */
export class FirstSeen {
  readonly #times = new Map<Hash, number>()

  note({ hash }: Pick<SourceBlock, 'hash'>, now = Date.now()): void {
    if (this.#times.has(hash)) return
    this.#times.set(hash, now)
    const [oldest] = this.#times.keys()
    if (this.#times.size > keptMax && oldest !== undefined) this.#times.delete(oldest)
  }

  /** Of those that are near the head, in ms since 1970. */
  of(
    blocks: readonly Pick<SourceBlock, 'hash' | 'number'>[],
    head: number,
  ): ReadonlyMap<Hash, number> {
    const near = blocks.filter(({ number }) => head - number < nearHeadBlocksMax)
    return new Map(
      near.flatMap(({ hash }) => {
        const time = this.#times.get(hash)
        return time === undefined ? [] : [[hash, time] as const]
      }),
    )
  }
}
