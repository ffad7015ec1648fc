import type { TopicSpec } from '../../libs/adapters/kafka/topic-settings.ts'
import { partBytesMax } from '../../libs/topics/parts.ts'
import { topics } from '../../libs/topics/topics.ts'

/** What Kafka, and the header of a part, put around it. */
const aroundPartBytes = 64 * 1024
const messageBytesMax = partBytesMax + aroundPartBytes
const dayMs = 24 * 60 * 60 * 1_000

interface TopicSpecsOptions {
  /** Before each name. */
  readonly prefix: string
  readonly replicationFactor: number
  /** Without their prefix; all by default. */
  readonly names?: readonly string[]
}

/** Required topics of the registry. */
export const topicSpecs = ({
  prefix,
  replicationFactor,
  names = topics.map(({ name }) => name),
}: TopicSpecsOptions): readonly TopicSpec[] =>
  topics
    .filter(({ name }) => names.includes(name))
    .map(({ name, retentionDays, isCompacted }) => ({
      name: prefix + name,
      isCompacted,
      retentionMs: retentionDays === null ? null : retentionDays * dayMs,
      messageBytesMax,
      replicationFactor,
    }))
