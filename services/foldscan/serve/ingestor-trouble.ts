import type { IngestorStatus } from '../../ingestor/ingestor-status.ts'
import type { Check } from './health.ts'

/** Why an ingestor does not go on: the log that it writes is away, or the node is in trouble. */
export const ingestorCheck =
  (ingestor: { readonly status: () => Pick<IngestorStatus, 'trouble'> }): Check =>
  () => {
    const { trouble } = ingestor.status()
    if (trouble === null) return null
    return trouble.kind === 'log-unavailable'
      ? { reason: 'kafka-away', sentence: `the log is away: ${trouble.sentence}` }
      : { reason: 'node-away', sentence: trouble.sentence }
  }
