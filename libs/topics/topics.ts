import { z } from 'zod'
import { apiKey } from './api-keys.ts'
import { blocksMessage } from './blocks.ts'
import { announcement } from './changes.ts'
import { addressFact } from './facts/address-facts.ts'
import { coinPrice } from './facts/coin-prices.ts'
import { instanceFact } from './facts/instance-facts.ts'
import { signatureFact } from './facts/signature-facts.ts'
import { tokenFact } from './facts/token-facts.ts'
import { namedHolder } from './holders.ts'
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

/**
 * What an operator writes into a topic of dead letters: those at these offsets of it need no more
 * attention. It outlives them, as it is younger.
 */
export const acknowledgement = z.object({
  kind: z.literal('acknowledged'),
  /** Both ends are included. */
  offsets: z.array(z.object({ from: integerNumber, to: integerNumber })).max(10_000),
  /** In ms since 1970. */
  time: integerNumber,
})
export type Acknowledgement = z.output<typeof acknowledgement>

/** A message of a topic of dead letters. */
export const deadLetterMessage = z.union([acknowledgement, deadLetter])

export const deadLetterTopic = (topic: string): string => `${topic}.dead-letters`

/**
 * A stream of messages, as it is created on a cluster. All have one partition: it keeps a chain's
 * order, and makes the order of offsets that in which the last fact of a key wins.
 */
export interface Topic {
  readonly name: string
  readonly schema: z.ZodType
  /** What the key of a message is made of. */
  readonly key: string
  /** Null: for ever. */
  readonly retentionDays: number | null
  /** The same in the embedded log, which knows no time. Null: for ever. */
  readonly embeddedMessagesMax: number | null
  /** Only the last message of a key need be kept. */
  readonly isCompacted: boolean
}

/** About three hours of three groups at a block each two seconds; an api reads the last two. */
const changesMax = 20_000
/** People look at them one by one. */
const deadLettersMax = 10_000

const kept = { retentionDays: null, embeddedMessagesMax: null } as const
const facts = { ...kept, isCompacted: true } as const

const factTopics: readonly Topic[] = [
  { name: 'token-facts', schema: tokenFact, key: 'token:kind, or hour', ...facts },
  { name: 'instance-facts', schema: instanceFact, key: 'token:id', ...facts },
  { name: 'address-facts', schema: addressFact, key: 'address:kind', ...facts },
  { name: 'coin-prices', schema: coinPrice, key: 'chain:day or chain:now', ...facts },
  {
    name: 'signature-facts',
    schema: signatureFact,
    key: 'selector:signature without names',
    ...facts,
  },
]

/** Names of the topics of facts, which group `dimensions` folds. */
export const factTopicNames: readonly string[] = factTopics.map(({ name }) => name)

/**
 * Every topic. Topic `blocks` has no dead letters: a message that is not accepted is skipped, or
 * stops its readers.
 */
export const topics: readonly Topic[] = [
  {
    name: 'blocks',
    schema: blocksMessage,
    key: 'chain id',
    ...kept,
    isCompacted: false,
  },
  ...factTopics,
  { name: 'holders', schema: namedHolder, key: 'token:holder, or token:holder:id', ...facts },
  { name: 'api-keys', schema: apiKey, key: 'name of the key', ...facts },
  {
    name: 'changes',
    schema: announcement,
    key: 'group',
    retentionDays: 7,
    embeddedMessagesMax: changesMax,
    isCompacted: false,
  },
  ...factTopics.map(({ name, key }) => ({
    name: deadLetterTopic(name),
    schema: deadLetterMessage,
    key,
    retentionDays: 30,
    embeddedMessagesMax: deadLettersMax,
    isCompacted: false,
  })),
]

/** Names of those of which only the last message of a key need be kept. */
export const compactedTopics: readonly string[] = topics.flatMap(({ name, isCompacted }) =>
  isCompacted ? [name] : [],
)

/** By topic, the messages that the embedded log keeps; a topic that is not here is kept whole. */
export const embeddedBounds: ReadonlyMap<string, number> = new Map(
  topics.flatMap(({ name, embeddedMessagesMax }) =>
    embeddedMessagesMax === null ? [] : [[name, embeddedMessagesMax] as const],
  ),
)
