import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'

/** What the log covers, and the next internal id. There is one of it. Null: not yet. */
export interface Chain {
  /** The first block that was applied. */
  firstBlock: number | null
  /** The newest block of the last gap. */
  gapEnd: number | null
  /** The block of the observations that came before any block. */
  observedBefore: number | null
  /** Ordinals given so far: to each token and instance at its first sight, from 1, below 2^33. */
  ordinals: number
  /**
   * Sequence of the message before which nothing counts any more, as blocks are missing; 0 if none
   * are. Whatever was written before it is forgotten when it is read: see `Draft`.
   */
  knownFrom: number
  /** Numbers in the queue of `listings`: the first one left, and the next to give. */
  listingsFrom: number
  listingsTo: number
  /** An authorization of EIP-7702 has counted. */
  hasAuthorizations: boolean
}

export const chainEntityId = ''
export const newChain = (): Chain => ({
  firstBlock: null,
  gapEnd: null,
  observedBefore: null,
  ordinals: 0,
  knownFrom: 0,
  listingsFrom: 0,
  listingsTo: 0,
  hasAuthorizations: false,
})

const put = (value: number | null): void => {
  writer.integer(value === null ? 0 : value + 1)
}
const take = (reader: BinaryReader): number | null => {
  const stored = reader.integer()
  return stored === 0 ? null : stored - 1
}

export const chainEntity: Entity<Chain> = {
  name: 'chain',
  tag: 0x01,
  isOnly: true,
  encode(value) {
    put(value.firstBlock)
    put(value.gapEnd)
    put(value.observedBefore)
    writer.integer(value.ordinals).integer(value.knownFrom)
    writer.integer(value.listingsFrom).integer(value.listingsTo)
    return writer.byte(value.hasAuthorizations ? 1 : 0).done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    return {
      firstBlock: take(reader),
      gapEnd: take(reader),
      observedBefore: take(reader),
      ordinals: reader.integer(),
      knownFrom: reader.integer(),
      listingsFrom: reader.integer(),
      listingsTo: reader.integer(),
      hasAuthorizations: reader.byte() === 1,
    }
  },
}
