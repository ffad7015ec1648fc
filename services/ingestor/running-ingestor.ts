import type { IngestorStatus } from './ingestor-status.ts'

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
