import type { Cache, CacheWrite } from '../../../libs/ports/cache.ts'

/** Stored with an entry whose position is the offset of `changes` at the newest page's read. */
const key = 'changes|heard'

/** Written with each shared page. */
export const consumedUpTo = (offset: number): CacheWrite => [
  key,
  { bytes: Buffer.alloc(0), position: offset },
]

/**
 * Clears a shared cache whose pages count offsets of a former topic `changes`: offsets of a
 * recreated topic start again at 0.
 * @param endOf the end of the topic as it is now.
 */
export async function clearIfTopicRecreated(
  cache: Cache,
  endOf: () => Promise<number>,
): Promise<boolean> {
  // In this order: no process can have consumed more than the end that is read afterwards.
  const [consumed] = await cache.get([key])
  const isRecreated = consumed !== undefined && consumed.position > (await endOf())
  if (isRecreated) await cache.clear()
  return isRecreated
}
