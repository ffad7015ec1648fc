import type { SkipReason } from '../../libs/topics/acceptance.ts'

/** Why a group does not go on: it waits for a valid message with the next sequence. */
export interface Stuck {
  readonly reason: Exclude<SkipReason, 'duplicate'>
  /** The sequence that it waits for. */
  readonly sequence: number
  /** Offset of the first message that it had to skip. */
  readonly offset: number
  readonly detail: string
}

export interface ProjectorStatus {
  readonly group: string
  /** Last position whose rows can be read; 0 before the first. */
  readonly position: number
  /** The newest block at that position; null before the first. */
  readonly block: number | null
  /** Messages of the log that are not folded, as of the last read. */
  readonly behind: number
  /** Folding state only, up to where an earlier life has written rows. */
  readonly isSilent: boolean
  readonly stuck: Stuck | null
}
