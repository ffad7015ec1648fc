import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { reachKafka } from '../../../libs/adapters/kafka/reach-kafka.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { kafkaPlace, type PlaceSettings } from '../serve/kafka-place.ts'
import type { Desk } from './operate.ts'

/** The log, now. @throws with one sentence if Kafka does not let us in, or does not answer */
export async function logOfCluster(
  { log: signals, parts }: Desk,
  settings: PlaceSettings & { readonly kafkaTopicPrefix: string },
): Promise<EventLog> {
  const place = kafkaPlace(settings)
  await reachKafka({ place, signals })
  const log = kafkaEventLog({ place, signals, topicPrefix: settings.kafkaTopicPrefix })
  parts.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  return log
}
