import type { LargeLoad } from '../pages/large-loads.ts'

/** What all reads of one answer share. */
export interface ReadContext {
  /** Cancels the reads, which reject with its reason. */
  readonly signal?: AbortSignal | undefined
  /** The slot to acquire before reading large results; none needed without it. */
  readonly large?: Pick<LargeLoad, 'isLarge' | 'acquire'>
  /** Whether rows came from a replica behind what was announced: they must not be cached. */
  isBehind: boolean
}
