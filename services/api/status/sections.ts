import type { Head } from '../../../libs/presenters/lookups.ts'
import type { GroupProgress } from '../invalidation/follow-changes.ts'
import type { NewestBlock } from './newest-blocks.ts'

/** What the page shows is made of. */
export interface StatusInputs {
  /** In ms since 1970. */
  readonly now: number
  readonly version: string
  readonly chainId: number
  readonly head: Head | null
  readonly groups: readonly GroupProgress[]
  readonly newest: readonly NewestBlock[]
}

/**
 * The sections of the status page, as JSON: a section is sent when it has changed. `at` and
 * `seenAt` are in ms, `time` of a block in seconds since 1970. Nothing in it names a client.
 */
export function statusSections(inputs: StatusInputs) {
  const { now, version, chainId, head, groups, newest } = inputs
  return {
    at: now,
    chain: { id: chainId, version },
    head,
    groups: groups.map(({ group, position, block, time }) => ({ group, position, block, time })),
    blocks: newest,
  }
}
