import type { KafkaPlace } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { reachKafka } from '../../../libs/adapters/kafka/reach-kafka.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { compactedTopics } from '../../../libs/topics/topics.ts'
import { Refusal } from '../refusal.ts'
import { kafkaPlace, type PlaceSettings } from '../serve/kafka-place.ts'
import type { Task } from './operate.ts'

export interface ClusterLogOptions {
  readonly settings: PlaceSettings & { readonly kafkaTopicPrefix: string }
  /** Those that have to be there. */
  readonly topics: readonly string[]
}

/** The log, now. @throws with one sentence if Kafka does not let us in, or lacks the topics */
export async function logOfCluster(
  task: Task,
  { settings, topics }: ClusterLogOptions,
): Promise<EventLog> {
  const { log: signals, parts } = task
  const place = kafkaPlace(settings)
  await reachKafka({ place, signals })
  const topicPrefix = settings.kafkaTopicPrefix
  await refuseMissing(
    task,
    place,
    topics.map((topic) => topicPrefix + topic),
  )
  const log = kafkaEventLog({ place, signals, topicPrefix, compacted: compactedTopics })
  parts.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  return log
}

async function refuseMissing({ log: signals }: Task, place: KafkaPlace, names: readonly string[]) {
  const admin = await topicAdmin({ place, signals })
  const states = await admin.describe(names).finally(() => admin.close().catch(() => {}))
  const missing = names.filter((_, at) => !states[at])
  if (missing.length === 0) return
  throw new Refusal(
    `Topics are missing on Kafka: ${missing.join(', ')}. ` +
      'Create them with `foldscan topics create`, or correct --kafka-topic-prefix.',
  )
}
