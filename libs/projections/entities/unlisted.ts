import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'

/**
 * A known balance, or an instance, of an address without a known standard: its rows wait for the
 * standard. Its id: the 40 digits of the token, 16 of its number among the token's.
 */
export interface Unlisted {
  readonly kind: 'pair' | 'instance'
  /** Of the pair or the instance. */
  readonly id: string
}

const counterDigits = 16
const counterText = (number: number): string => number.toString(16).padStart(counterDigits, '0')

export const unlistedId = (token: Address, number: number): string =>
  withoutPrefix(token) + counterText(number)

const kindCode = { pair: 0, instance: 1 } as const

export const unlistedEntity: Entity<Unlisted> = {
  name: 'unlisted',
  tag: 0x07,
  encode: ({ kind, id }) =>
    writer
      .byte(kindCode[kind])
      .integer(id.length / 2)
      .fixed(id)
      .done(),
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const kind = reader.byte() === kindCode.instance ? 'instance' : 'pair'
    return { kind, id: reader.fixed(reader.integer()) }
  },
}

/** A token whose standard is known, but not all of its unlisted ones have their rows. */
export interface Listing {
  readonly token: Address
}

/** 16 digits: its number in the queue. */
export const listingId = counterText

export const listingEntity: Entity<Listing> = {
  name: 'listing',
  tag: 0x08,
  encode: ({ token }) => writer.fixed(withoutPrefix(token)).done(),
  decode: (bytes) => ({ token: address(`0x${new BinaryReader(bytes).fixed(20)}`) }),
}
