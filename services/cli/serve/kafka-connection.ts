import type {
  KafkaConnection,
  KafkaCredentials,
} from '../../../libs/adapters/kafka/kafka-client.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { redacted } from '../../../libs/signals/redact.ts'
import { StartupError } from '../failure.ts'
import { readCertificate } from './certificate-file.ts'

/** Settings of every command that connects to brokers. */
export type KafkaConnectionSettings = Pick<
  SettingsOf<'ingestor'>,
  | 'kafkaBrokers'
  | 'kafkaClientId'
  | 'kafkaTls'
  | 'kafkaCaFile'
  | 'kafkaSaslMechanism'
  | 'kafkaUser'
  | 'kafkaPassword'
>

/** Which brokers, and as whom. @throws StartupError where the settings contradict each other */
export function kafkaConnection(settings: KafkaConnectionSettings): KafkaConnection {
  const { kafkaBrokers, kafkaClientId, kafkaTls, kafkaCaFile } = settings
  for (const broker of kafkaBrokers) {
    if (/^[^\s:/@]+:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/i.test(broker)) continue
    // What precedes an @ may be a password.
    const shown = redacted(broker).replace(/^.*@/, '…@')
    throw new StartupError(`A broker of --kafka-brokers is not of the form host:port: '${shown}'.`)
  }
  if (!kafkaTls && kafkaCaFile !== null) {
    throw new StartupError('--kafka-ca-file has no effect without --kafka-tls.')
  }
  const ca = readCertificate(kafkaCaFile, '--kafka-ca-file')
  return {
    brokers: kafkaBrokers,
    clientId: kafkaClientId,
    tls: kafkaTls ? { ca } : null,
    sasl: credentialsOf(settings),
  }
}

function credentialsOf(settings: KafkaConnectionSettings): KafkaCredentials | null {
  const { kafkaSaslMechanism: mechanism, kafkaUser, kafkaPassword } = settings
  if (mechanism === 'none') {
    if (kafkaUser === null && kafkaPassword === null) return null
    throw new StartupError(
      'FOLDSCAN_KAFKA_USER and FOLDSCAN_KAFKA_PASSWORD have no effect without ' +
        '--kafka-sasl-mechanism: set the one that the brokers use.',
    )
  }
  if (kafkaUser === null || kafkaPassword === null) {
    throw new StartupError(
      `--kafka-sasl-mechanism ${mechanism} needs FOLDSCAN_KAFKA_USER and ` +
        'FOLDSCAN_KAFKA_PASSWORD (or FOLDSCAN_KAFKA_PASSWORD_FILE).',
    )
  }
  return { mechanism, username: kafkaUser, password: kafkaPassword }
}

interface GroupNames {
  readonly kafkaGroupPrefix: string
  readonly kafkaTopicPrefix: string
}

/**
 * What watches the brokers sees each group of projectors under its name; `dimensions` has one for
 * each topic. It holds the prefix of the topics: projectors of two chains on the same brokers
 * would else be members of one group, of whom one chain's would read.
 */
export function consumerGroup(names: GroupNames, group: string, topic: string): string {
  const name = `${names.kafkaGroupPrefix}-${names.kafkaTopicPrefix}${group}`
  return topic === 'blocks' ? name : `${name}-${topic}`
}
