declare const positionBrand: unique symbol

/**
 * The sequence number of a message on `blocks`: an integer from 1 below 2^53, given by the
 * ingestor. It is the version of every row, independent of the log's own offsets.
 */
export type Position = number & { readonly [positionBrand]: true }

const isPosition = (value: number): value is Position => Number.isSafeInteger(value) && value >= 0

/** @throws if the value is no integer in 0 .. 2^53-1. Zero means "before the first message". */
export function position(value: number): Position {
  if (isPosition(value)) return value
  throw new Error(`not a position: ${value}`)
}

export const next = (at: Position): Position => position(at + 1)
