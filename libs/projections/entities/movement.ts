import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'

/**
 * The sum of a block's transfers from and to a balance, whose id it has. A balance is validated at
 * the end of its block: contracts may log a payment before the income that it was paid from. It is
 * never part of the state.
 */
export interface Movement {
  delta: bigint
  /** Something else than transfers changed the balance as well. */
  isUnexplained: boolean
  /** Of the token, or of the instance. */
  ordinal: number
}

export const newMovement = (ordinal: number): Movement => ({
  delta: 0n,
  isUnexplained: false,
  ordinal,
})

const flag = { negative: 1, unexplained: 2 } as const

export const movementEntity: Entity<Movement> = {
  name: 'movement',
  tag: 0xf0,
  encode({ delta, isUnexplained, ordinal }) {
    const isNegative = delta < 0n
    writer.byte((isNegative ? flag.negative : 0) | (isUnexplained ? flag.unexplained : 0))
    return writer
      .integer(ordinal)
      .amount(isNegative ? -delta : delta)
      .done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    const ordinal = reader.integer()
    const amount = reader.amount()
    return {
      ordinal,
      delta: flags & flag.negative ? -amount : amount,
      isUnexplained: (flags & flag.unexplained) !== 0,
    }
  },
}
