import { wordDigits } from '../../chain/abi-words.ts'
import type { Hex } from '../../chain/hex.ts'

/** One item of a TransferBatch; `index` is its place in the log's arrays. */
interface BatchItem {
  readonly tokenId: bigint
  readonly value: bigint
  readonly index: number
}

/** A TransferBatch: two arrays of words, which may be the same one. */
export interface ItemBatch {
  readonly data: Hex
  /** Bytes. */
  readonly idsStart: number
  readonly valuesStart: number
  readonly count: number
}

const wordBytes = 32
const valueEnd = 1n << 256n
/** Digits of an offset or length that may be anything; no log has 4 GB of data. */
const sizeDigits = 8
const emptyUpperSize = '0'.repeat(wordDigits - sizeDigits)

/** The word at a byte as a size, or null if it is outside the data or absurdly great. */
function sizeAt(data: Hex, byte: number): number | null {
  const start = 2 + byte * 2
  const word = data.slice(start, start + wordDigits)
  if (word.length < wordDigits || !word.startsWith(emptyUpperSize)) return null
  return Number.parseInt(word.slice(wordDigits - sizeDigits), 16)
}

/** Byte of the first element and count of an ABI array, wholly inside the data; else null. */
function arrayAt(data: Hex, headByte: number): { start: number; count: number } | null {
  const offset = sizeAt(data, headByte)
  const count = offset === null ? null : sizeAt(data, offset)
  if (offset === null || count === null) return null
  const start = offset + wordBytes
  // Checked before anything is allocated: the length is whatever a contract wrote.
  return start + count * wordBytes <= (data.length - 2) / 2 ? { start, count } : null
}

function wordAt(data: Hex, byte: number): string {
  const start = 2 + byte * 2
  return data.slice(start, start + wordDigits)
}

const amountAt = (data: Hex, byte: number): bigint => BigInt(`0x${wordAt(data, byte)}`)

/** Of (uint256[] ids, uint256[] values); null unless both arrays are whole and alike. */
export function batchOf(data: Hex): ItemBatch | null {
  const ids = arrayAt(data, 0)
  const values = arrayAt(data, wordBytes)
  if (ids === null || values === null || ids.count !== values.count) return null
  return { data, idsStart: ids.start, valuesStart: values.start, count: ids.count }
}

/** Items looked at between two places to do other work. */
const itemsPerPieceMax = 1_000

/**
 * Items of one id become one: amounts added, the lowest index kept (sender and recipient are the
 * log's). An item whose amount would carry the sum past 2^256-1 stands on its own, so that no
 * amount is ever cut.
 *
 * Ids are compared as text: V8 hashes a bigint by its lowest 64 bits, and 40,000 ids that share
 * these take half a minute to look up.
 */
export function* mergedItems({
  data,
  idsStart,
  valuesStart,
  count,
}: ItemBatch): Generator<BatchItem | null> {
  const valueAt = (index: number) => amountAt(data, valuesStart + index * wordBytes)
  const itemOf = (index: number, value: bigint): BatchItem => ({
    tokenId: amountAt(data, idsStart + index * wordBytes),
    value,
    index,
  })
  const placeOfId = new Map<string, number>()
  /** By index, of items that others were added to. */
  const sums = new Map<number, bigint>()
  const absorbed = new Uint8Array(count)
  for (let index = 0; index < count; index++) {
    if (index % itemsPerPieceMax === itemsPerPieceMax - 1) yield null
    const id = wordAt(data, idsStart + index * wordBytes)
    const place = placeOfId.get(id)
    const sum = place === undefined ? null : (sums.get(place) ?? valueAt(place)) + valueAt(index)
    if (place === undefined || sum === null || sum >= valueEnd) {
      placeOfId.set(id, index)
      continue
    }
    sums.set(place, sum)
    absorbed[index] = 1
  }
  for (let index = 0; index < count; index++) {
    if (index % itemsPerPieceMax === itemsPerPieceMax - 1) yield null
    if (absorbed[index] === 0) yield itemOf(index, sums.get(index) ?? valueAt(index))
  }
}
