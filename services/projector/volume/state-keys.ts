import type { Address } from '../../../libs/chain/hex.ts'

/**
 * What a group's volume holds, by first byte of the key:
 *
 *     1 checkpoint  sequence (8 bytes)       where the group stood after a flush
 *     2 journal     sequence (8 bytes)       values before that message, to undo it; of a great
 *                                            message several, all but the first with a number
 *                                            (4 bytes) after the sequence
 *     3 outbox      sequence (8 bytes)       an announcement not yet known to be published
 *     4 entity      tag (1 byte), id         what the folds remember
 *     5 offsets     -                        of the fact topics (group dimensions)
 *     6 rate        token (20 bytes)         its newest rate (group dimensions)
 *     7 rate hour   -                        the newest hour whose rates are written (the same)
 *     8 parts       sequence (8 bytes)       of how many journal values a great message has
 */
const kinds = {
  checkpoint: 1,
  journal: 2,
  outbox: 3,
  entity: 4,
  offsets: 5,
  rate: 6,
  rateHour: 7,
  journalParts: 8,
} as const

export const checkpointPrefix = Buffer.from([kinds.checkpoint])
export const outboxPrefix = Buffer.from([kinds.outbox])
export const factOffsetsKey = Buffer.from([kinds.offsets])
export const ratePrefix = Buffer.from([kinds.rate])
export const rateHourKey = Buffer.from([kinds.rateHour])
export const everyPrefix = Buffer.alloc(0)

export const checkpointKey = (sequence: number): Buffer => ordered(kinds.checkpoint, sequence)
export const journalKey = (sequence: number): Buffer => ordered(kinds.journal, sequence)
/** @param part from 0 on; the first one has the key of a message that has only one. */
export function journalPartKey(sequence: number, part: number): Buffer {
  if (part === 0) return journalKey(sequence)
  const number = Buffer.alloc(4)
  number.writeUInt32BE(part)
  return Buffer.concat([journalKey(sequence), number])
}
export const journalPartsPrefix = Buffer.from([kinds.journalParts])
export const journalPartsKey = (sequence: number): Buffer => ordered(kinds.journalParts, sequence)
export const outboxKey = (sequence: number): Buffer => ordered(kinds.outbox, sequence)

/** `id` is lower-case hex. */
export function entityKey(tag: number, id: string): Buffer {
  const key = Buffer.allocUnsafe(2 + id.length / 2)
  key[0] = kinds.entity
  key[1] = tag
  if (key.write(id, 2, 'hex') * 2 !== id.length) throw new Error(`not an id: ${id}`)
  return key
}

export const rateKey = (token: Address): Buffer =>
  Buffer.concat([ratePrefix, Buffer.from(token.slice(2), 'hex')])
export const tokenOfRate = (key: Buffer): string => `0x${key.toString('hex', 1)}`

export const sequenceOf = (key: Buffer): number => Number(key.readBigUInt64BE(1))

function ordered(kind: number, sequence: number): Buffer {
  const key = Buffer.alloc(9)
  key[0] = kind
  key.writeBigUInt64BE(BigInt(sequence), 1)
  return key
}
