import type { Cache, CacheWrite } from '../../libs/ports/cache.ts'

/** How far the log of changes was when the newest shared page was read. */
const key = 'changes|heard'

/** Goes with each shared page. */
export const heardUpTo = (offset: number): CacheWrite => [
  key,
  { bytes: Buffer.alloc(0), position: offset },
]

/**
 * Pages in the shared cache count offsets of the log of changes. Where that log was made anew, its
 * offsets begin again, and what was kept by those of the old one is emptied.
 * @param endOf of the log as it is now.
 */
export async function emptiedIfOfAnotherLog(
  cache: Cache,
  endOf: () => Promise<number>,
): Promise<boolean> {
  // In this order: nobody can have heard more than there is when the end is asked.
  const [heard] = await cache.get([key])
  const isOfAnother = heard !== undefined && heard.position > (await endOf())
  if (isOfAnother) await cache.clear()
  return isOfAnother
}
