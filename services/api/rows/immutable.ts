import { undoBlocksMax } from '../../../libs/topics/acceptance.ts'

/** The part of a list by block that was read. */
interface PageRange {
  readonly order: 'asc' | 'desc'
  /** The cursor; null: from the start of the list. */
  readonly after: { readonly blockNumber: number } | null
  /** Rows of the page, and the first of the next one. */
  readonly limit: number
}

/**
 * Whether a page can never change: the part of the list that it depends on, from the cursor to the
 * first row of the next page, is below any possible reorganisation. The rows alone do not decide
 * it: rows between the first of them and the cursor may still be added.
 * @param headBlock the head when the rows were read. A lower head later changes nothing: a block
 * that was once that far below a head is never reverted.
 */
export function isImmutable(
  { order, after, limit }: PageRange,
  rows: readonly { readonly blockNumber: number }[],
  headBlock: number,
): boolean {
  if (rows.length < limit) return false
  const newest = order === 'desc' ? after?.blockNumber : rows.at(-1)?.blockNumber
  return newest !== undefined && newest <= headBlock - undoBlocksMax
}
