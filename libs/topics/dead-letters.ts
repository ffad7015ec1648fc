import { z } from 'zod'
import { integer } from './quantities.ts'

/** A message that could not be folded, as it came, with the reason; replayed by hand. */
export const deadLetter = z.object({
  topic: z.string(),
  /** Of the message in its topic, from 0. A letter may be there twice, after a crash. */
  offset: integer,
  key: z.string(),
  /** The message's bytes. */
  message: z.base64(),
  reason: z.literal('invalid'),
  error: z.string(),
})
export type DeadLetter = z.output<typeof deadLetter>

export const deadLettersOf = (topic: string): string => `${topic}.dead-letters`
