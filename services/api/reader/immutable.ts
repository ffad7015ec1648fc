import { undoBlocksMax } from '../../../libs/topics/branch.ts'

/** What was read of a list by block. */
interface PageRange {
  readonly order: 'asc' | 'desc'
  /** The cursor; null: from the beginning of the list. */
  readonly after: { readonly blockNumber: number } | null
  /** As many as the page shows, and the first that it does not show. */
  readonly limit: number
}

/**
 * Whether a page stays what it is, whatever comes: all of the list that it depends on, from the
 * cursor to the first row that it does not show, lies deeper than any reorganisation reaches. The
 * rows alone do not tell: what is newer than the first of them, up to the cursor, may still come.
 * @param headBlock the head when the rows were asked for. A later head that lies lower changes
 * nothing: of the blocks once below a head by that much none is ever reverted.
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
