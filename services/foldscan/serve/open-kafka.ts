import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { kafkaPlace, type PlaceSettings } from './kafka-place.ts'
import type { Bed } from './serve.ts'
import { untilThere } from './until-there.ts'

export interface KafkaWish {
  readonly settings: PlaceSettings & { readonly kafkaTopicPrefix: string }
  /** By topic, the consumer group that reads it; null for one of this process alone. */
  readonly groupOf?: (topic: string) => string | null
}

/**
 * The log of a cluster, once it answers.
 * @throws if it never will: wrong credentials, an authority that cannot be read
 */
export async function openKafka(bed: Bed, { settings, groupOf }: KafkaWish): Promise<EventLog> {
  const place = kafkaPlace(settings)
  const log = kafkaEventLog({
    place,
    signals: bed.log,
    topicPrefix: settings.kafkaTopicPrefix,
    ...(groupOf === undefined ? {} : { groupOf }),
  })
  bed.parts.add({ name: 'log', stop: () => log.close(), failed: log.failed })
  await untilThere(bed, () => log.end('blocks'))
  return log
}
