import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  listSetting,
  nameSetting,
  optionalText,
  secretSetting,
  textSetting,
} from './setting.ts'

const takenBy = [
  'ingestor',
  'enricher',
  'projector',
  'api',
  'topics create',
  'topics check',
  'topics describe',
  'lag',
  'repair',
  'dead-letters list',
  'dead-letters replay',
  'import abi',
  'import labels',
  'import prices',
  'import signatures',
] as const

export const saslMechanisms = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const

/** The Kafka brokers that hold the topics. */
export const kafkaSettings = {
  kafkaBrokers: listSetting({
    takenBy,
    unit: 'host:port',
    default: '127.0.0.1:9092',
    bounds: 'one or more, separated by commas',
    why: 'bootstrap brokers',
  }),
  kafkaClientId: textSetting({
    takenBy,
    unit: 'name',
    default: 'foldscan',
    bounds: 'any text',
    why: "client id of this process in the brokers' logs and quotas",
  }),
  kafkaTls: booleanSetting({ takenBy, why: 'connect to the brokers over TLS' }),
  kafkaCaFile: optionalText({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the brokers', if it is not publicly trusted",
  }),
  kafkaSaslMechanism: choiceSetting(
    { takenBy, unit: 'mechanism', default: 'none', why: 'SASL mechanism of the brokers' },
    saslMechanisms,
  ),
  kafkaUser: optionalText({
    takenBy,
    unit: 'name',
    bounds: 'a user',
    why: 'SASL user',
  }),
  kafkaPassword: secretSetting({ takenBy, why: 'password of `--kafka-user`' }),
  kafkaTopicPrefix: nameSetting({
    takenBy,
    default: '',
    why: 'prefix of every topic name, for several chains on the same brokers',
  }),
  kafkaReplicationFactor: integerSetting(
    {
      takenBy: [
        'ingestor',
        'enricher',
        'projector',
        'api',
        'topics create',
        'topics check',
        'topics describe',
      ],
      unit: 'brokers',
      default: '3',
      why: 'brokers that hold each topic, at least; 1 allows a single broker, whose loss loses blocks',
    },
    1,
    15,
  ),
  kafkaGroupPrefix: nameSetting({
    takenBy: ['projector', 'lag', 'dead-letters replay'],
    default: 'foldscan',
    why: 'prefix of every consumer group name',
  }),
}
