import { z } from 'zod'
import { integerNumber } from './quantities.ts'

/** A message that could not be folded, as it was published, and why; replayed by an operator. */
export const deadLetter = z.object({
  topic: z.string(),
  /** Of the message in `topic`. After a crash it may have two dead letters. */
  offset: integerNumber,
  key: z.string(),
  /** When it was appended to `topic`, in ms since 1970; null where the log does not record it. */
  time: integerNumber.nullable().default(null),
  headers: z.record(z.string(), z.string()).default({}),
  /** The message's bytes. */
  message: z.base64(),
  reason: z.literal('invalid'),
  error: z.string(),
})
export type DeadLetter = z.output<typeof deadLetter>

export const deadLetterTopic = (topic: string): string => `${topic}.dead-letters`
