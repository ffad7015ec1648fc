import { expect } from 'vitest'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import type { AnyDeclared } from './memory-store.ts'
import type { Stream } from './stream.ts'
import { memoryWorld, type World } from './world.ts'

/** What one calm life makes of the messages that count. */
export interface Calm {
  readonly tables: Record<string, Record<string, string>>
  /** One for each position: what its rows move. */
  readonly announced: readonly Announcement[]
}

export async function calmLife(
  group: BlocksGroup,
  tables: readonly AnyDeclared[],
  { canonical }: Stream,
): Promise<Calm> {
  const world = memoryWorld(group, tables)
  await world.hear(canonical.map(encodeMessage))
  const limits = { flushMessagesMax: 1, liveMessagesMax: 1e9, bucketsMax: 1e9 }
  await world.live(canonical.length, { limits })
  return { tables: world.store.readAll(), announced: await world.announcements() }
}

/**
 * No announcement is lost: for every position and every bucket that its rows move, an
 * announcement of that or a later position names the bucket, or says "everything".
 */
export async function expectAllAnnounced(world: World, calm: Calm): Promise<void> {
  const announced = await world.announcements()
  expectUnbroken(announced)
  for (const { position, moved } of calm.announced) {
    const later = announced.filter((one) => one.position >= position)
    expect(later.length, `position ${position} is announced`).toBeGreaterThan(0)
    if (later.some((one) => one.moved === 'everything')) continue
    // A calm life says so of a hole in the log only, which moves what no row names.
    if (moved === 'everything') throw new Error(`nobody says that all has moved at ${position}`)
    for (const [family, buckets] of Object.entries(moved)) {
      const named = new Set(later.flatMap((one) => bucketsOf(one, family)))
      const missing = buckets.filter((bucket) => !named.has(bucket))
      expect(missing, `buckets of ${family} moved at position ${position}`).toEqual([])
    }
  }
}

/** Each begins where some announcement before it ended, or says "everything". */
function expectUnbroken(announced: readonly Announcement[]): void {
  let heard = 0
  for (const { after, position, moved } of announced) {
    if (moved !== 'everything') expect(after, `told before ${position}`).toBeLessThanOrEqual(heard)
    heard = Math.max(heard, position)
  }
}

const bucketsOf = ({ moved }: Announcement, family: string): readonly number[] =>
  moved === 'everything' ? [] : (moved[family] ?? [])
