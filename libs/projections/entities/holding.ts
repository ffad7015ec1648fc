import type { Address } from '../../chain/hex.ts'
import type { Entity } from '../state.ts'
import { withoutPrefix } from './balance.ts'
import { BinaryReader, writer } from './binary.ts'

/**
 * How much of an ERC-1155 or ERC-404 a holder has at all, so that an address counts once among
 * the token's holders. Its id: token, holder.
 */
export interface Holding {
  /** Parts and ids whose balance is known and above zero. */
  count: number
  /** The chain's `knownFrom` when it was written. */
  knownFrom: number
}

export const forgottenHolding = (holding: Holding): Holding => ({ ...holding, count: 0 })

export const holdingId = (token: Address, holder: Address): string =>
  withoutPrefix(token) + withoutPrefix(holder)

export const holdingEntity: Entity<Holding> = {
  name: 'holding',
  tag: 0x05,
  encode: (holding) => writer.integer(holding.count).integer(holding.knownFrom).done(),
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    return { count: reader.integer(), knownFrom: reader.integer() }
  },
}
