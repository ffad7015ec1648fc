import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkKafka } from '../../../libs/adapters/kafka/check-kafka.ts'
import type { KafkaConnection } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import { lmdbEventLog } from '../../../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { compactedTopics, embeddedBounds } from '../../../libs/topics/topics.ts'
import { lockFolder } from '../folder-lock.ts'
import { type KafkaConnectionSettings, kafkaConnection } from '../serve/kafka-connection.ts'
import { StartupError } from '../startup-error.ts'
import { startEngineIn } from '../up/embedded-store.ts'
import type { TaskContext } from './run-task.ts'

export interface ClusterLogOptions {
  readonly settings: KafkaConnectionSettings & { readonly kafkaTopicPrefix: string }
  /** Those that have to be there. */
  readonly topics: readonly string[]
}

/** The log, now. @throws with one sentence if Kafka does not let us in, or lacks the topics */
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

/**
 * The log in the data folder of `up`, while `up` is stopped. Opening the log takes it from whoever
 * had it, so the engine comes first, as in `up`: its lock on the folder holds across containers.
 *
 * @throws StartupError if another process uses the folder, or `up` never did
 */
export async function openFolderLog(
  { log, components }: TaskContext,
  dataDir: string,
): Promise<EventLog> {
  const folder = resolve(dataDir)
  if (!existsSync(join(folder, 'log', 'log.lmdb'))) {
    throw new StartupError(
      `The folder ${folder} of --into-data-dir holds no log: \`foldscan up --data-dir\` makes it.`,
    )
  }
  const free = lockFolder(folder)
  components.add({ name: 'lock', stop: async () => free() })
  const engine = await startEngineIn(join(folder, 'engine'), log)
  components.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  components.add({ name: 'log', stop: () => events.close() })
  return events
}
