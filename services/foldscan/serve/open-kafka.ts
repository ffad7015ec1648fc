import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { Refusal } from '../refusal.ts'
import { authorityIn } from './authority-file.ts'
import type { Bed } from './serve.ts'

type KafkaSettings = SettingsOf<'ingestor' | 'enricher' | 'projector' | 'api'>

export async function openKafka(
  _bed: Bed,
  settings: KafkaSettings,
  _group: string | null,
): Promise<EventLog> {
  authorityIn(settings.kafkaCaFile, '--kafka-ca-file')
  throw new Refusal('Kafka comes.')
}
