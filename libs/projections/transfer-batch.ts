import type { Hex } from '../chain/hex.ts'

/** One item of a TransferBatch; `index` is its place in the log's arrays. */
export interface BatchItem {
  readonly tokenId: bigint
  readonly value: bigint
  readonly index: number
}

const wordDigits = 64
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

function amountAt(data: Hex, byte: number): bigint {
  const start = 2 + byte * 2
  return BigInt(`0x${data.slice(start, start + wordDigits)}`)
}

/** The items of (uint256[] ids, uint256[] values); null unless both arrays are whole and alike. */
export function batchItems(data: Hex): BatchItem[] | null {
  const ids = arrayAt(data, 0)
  const values = arrayAt(data, wordBytes)
  if (ids === null || values === null || ids.count !== values.count) return null
  return Array.from({ length: ids.count }, (_, index) => ({
    tokenId: amountAt(data, ids.start + index * wordBytes),
    value: amountAt(data, values.start + index * wordBytes),
    index,
  }))
}

/**
 * Items of one id become one: amounts added, the lowest index kept (sender and recipient are the
 * log's). An item whose amount would carry the sum past 2^256-1 stands on its own, so that no
 * amount is ever cut.
 */
export function mergedItems(items: readonly BatchItem[]): BatchItem[] {
  if (items.length < 2) return [...items]
  const merged: BatchItem[] = []
  const placeOfId = new Map<bigint, number>()
  for (const item of items) {
    const place = placeOfId.get(item.tokenId)
    const earlier = place === undefined ? undefined : merged[place]
    if (place !== undefined && earlier && earlier.value + item.value < valueEnd) {
      merged[place] = { ...earlier, value: earlier.value + item.value }
    } else {
      placeOfId.set(item.tokenId, merged.length)
      merged.push(item)
    }
  }
  return merged
}
