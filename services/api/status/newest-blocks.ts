import type { Head } from '../../../libs/presenters/lookups.ts'

/** A head that this process was told of. */
export interface NewestBlock {
  readonly number: number
  /** Of the block, in seconds; null if unknown. */
  readonly time: number | null
  /** When responses began to show it, in ms. */
  readonly seenAt: number
}

const blocksMax = 12

/** The last heads, newest first: while catching up, the last block of each flush. */
export class NewestBlocks {
  private blocks: readonly NewestBlock[] = []

  /** The same head may be told many times; after a reorganisation a lower one. */
  add({ block: number, time }: Head, seenAt: number): void {
    if (this.blocks[0]?.number === number) return
    const older = this.blocks.filter((block) => block.number < number)
    this.blocks = [{ number, time, seenAt }, ...older].slice(0, blocksMax)
  }

  get all(): readonly NewestBlock[] {
    return this.blocks
  }
}
