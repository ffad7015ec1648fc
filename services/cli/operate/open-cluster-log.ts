import { checkKafka } from '../../../libs/adapters/kafka/check-kafka.ts'
import type { KafkaConnection } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { compactedTopics } from '../../../libs/topics/topics.ts'
import { StartupError } from '../failure.ts'
import { type KafkaConnectionSettings, kafkaConnection } from '../serve/kafka-connection.ts'
import type { TaskContext } from './run-task.ts'

interface ClusterLogOptions {
  readonly settings: KafkaConnectionSettings & { readonly kafkaTopicPrefix: string }
  /** Topics that must exist. */
  readonly topics: readonly string[]
}

/** Opens the log. @throws with one sentence if Kafka denies access, or the topics are missing */
export async function openClusterLog(
  task: TaskContext,
  { settings, topics }: ClusterLogOptions,
): Promise<EventLog> {
  const { log: signals, components } = task
  const place = kafkaConnection(settings)
  await checkKafka({ place, signals })
  const topicPrefix = settings.kafkaTopicPrefix
  await refuseMissing(
    task,
    place,
    topics.map((topic) => topicPrefix + topic),
  )
  const log = kafkaEventLog({ place, signals, topicPrefix, compacted: compactedTopics })
  components.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  return log
}

async function refuseMissing(
  { log: signals }: TaskContext,
  place: KafkaConnection,
  names: readonly string[],
) {
  const admin = await topicAdmin({ place, signals })
  const states = await admin.describe(names).finally(() => admin.close().catch(() => {}))
  const missing = names.filter((_, at) => !states[at])
  if (missing.length === 0) return
  throw new StartupError(
    `Topics are missing on Kafka: ${missing.join(', ')}. ` +
      'Create them with `foldscan topics create`, or correct --kafka-topic-prefix.',
  )
}
