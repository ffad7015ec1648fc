import type { z } from 'zod'
import { addressFact } from './address-facts.ts'
import { blocksMessage } from './blocks.ts'
import { announcement } from './changes.ts'
import { coinPrice } from './coin-prices.ts'
import { deadLetter, deadLettersOf } from './dead-letters.ts'
import { instanceFact } from './instance-facts.ts'
import { tokenFact } from './token-facts.ts'

/** A stream of messages, as it is created on a cluster. */
export interface Topic {
  readonly name: string
  readonly schema: z.ZodType
  /** What the key of a message is made of. */
  readonly key: string
  /** Null where it does not matter: one partition keeps a chain's order. */
  readonly partitions: 1 | null
  /** Null: for ever. */
  readonly retentionDays: number | null
  /** Only the last message of a key need be kept. */
  readonly isCompacted: boolean
}

const facts = { partitions: null, retentionDays: null, isCompacted: true } as const

const heard: readonly Topic[] = [
  {
    name: 'blocks',
    schema: blocksMessage,
    key: 'chain id',
    partitions: 1,
    retentionDays: null,
    isCompacted: false,
  },
  { name: 'token-facts', schema: tokenFact, key: 'token:kind', ...facts },
  { name: 'instance-facts', schema: instanceFact, key: 'token:id', ...facts },
  { name: 'address-facts', schema: addressFact, key: 'address:kind', ...facts },
  { name: 'coin-prices', schema: coinPrice, key: 'chain:day or chain:now', ...facts },
]

/** Every topic, those that we hear first. */
export const topics: readonly Topic[] = [
  ...heard,
  {
    name: 'changes',
    schema: announcement,
    key: 'group',
    partitions: 1,
    retentionDays: 7,
    isCompacted: false,
  },
  ...heard.map(({ name, key, partitions }) => ({
    name: deadLettersOf(name),
    schema: deadLetter,
    key,
    partitions,
    retentionDays: 30,
    isCompacted: false,
  })),
]
