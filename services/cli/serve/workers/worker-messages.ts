import { z } from 'zod'

/**
 * Messages between a supervisor and its workers, over the channel of `fork`. The supervisor asks,
 * with a number of its own for each question; a worker answers with the same number.
 */
export const askedOfWorker = z.object({
  id: z.number(),
  ask: z.enum(['readiness', 'metrics']),
})
export type AskedOfWorker = z.output<typeof askedOfWorker>

const reason = z.object({ reason: z.string(), sentence: z.string() })

export const answerOfWorker = z.union([
  /** Why it is not ready; empty if it is. */
  z.object({ id: z.number(), reasons: z.array(reason) }),
  /** Its metrics, in the text format of Prometheus. */
  z.object({ id: z.number(), metrics: z.string() }),
])
export type AnswerOfWorker = z.output<typeof answerOfWorker>
