import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { integerNumber } from './quantities.ts'

const limitMax = 1_000_000_000

/** A message of topic `api-keys`: the last one of a name holds. It does not contain the key. */
export const apiKey = z.object({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'not of 1 to 64 letters, digits, ., _ and -'),
  /** Seconds since 1970: when it was added or revoked. */
  time: integerNumber,
  /** SHA-256 of the key, in hex; null: revoked. */
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Requests in each window. */
  limit: z.int().min(1).max(limitMax),
})

export type ApiKey = z.output<typeof apiKey>

/** Keys that a deployment may have; each api process holds all of them. */
export const apiKeysMax = 10_000

const keyForm = /^fsk_[\w-]{43}$/
const randomKeyBytes = 32

/** A new key, of 256 random bits. */
export const newKey = (): string => `fsk_${randomBytes(randomKeyBytes).toString('base64url')}`

/** Null for a text that cannot be a key. Keys are random, so their hash needs no salt. */
export const hashOfKey = (key: string): string | null =>
  keyForm.test(key) ? createHash('sha256').update(key).digest('hex') : null
