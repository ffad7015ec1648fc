import type { SourceErrorKind } from '../../libs/ports/chain-source.ts'
import type { SweepStatus } from './sweep/sweep.ts'

/** An ingestor that was started. */
export interface Ingestor {
  status(): IngestorStatus
  /** Resolves when nothing is written any more; log, source and state stay open. */
  stop(): Promise<void>
  /** Resolves with what halted it, if anything does. */
  readonly failed: Promise<Error>
  /** Resolves when a source that ends is published whole. */
  readonly done: Promise<void>
}

export interface IngestorStatus {
  readonly phase: 'starting' | 'catching-up' | 'following' | 'exhausted' | 'halted' | 'stopped'
  /** Sequence of the last accepted message; 0 before the first. */
  readonly position: number
  /** Newest published block; null before the first. */
  readonly block: number | null
  /** The source's head when it was last asked; null before. */
  readonly sourceHead: number | null
  readonly sweep: SweepStatus
  /** Why nothing is published at present; null if nothing is wrong. */
  readonly trouble: {
    readonly kind: SourceErrorKind | 'log-unavailable' | 'block-refused'
    readonly sentence: string
  } | null
}
