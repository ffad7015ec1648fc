import { choice, list, nameOf, secret, text, textOrNone, yesOrNo } from './setting.ts'

const takenBy = [
  'ingestor',
  'enricher',
  'projector',
  'api',
  'topics',
  'lag',
  'repair',
  'dead-letters',
] as const

export const saslMechanisms = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const

/** The log of a cluster. */
export const kafkaSettings = {
  kafkaBrokers: list({
    takenBy,
    unit: 'host:port',
    default: '127.0.0.1:9092',
    bounds: 'one or more, commas between them',
    why: 'brokers to ask first; they name the others',
  }),
  kafkaClientId: text({
    takenBy,
    unit: '',
    default: 'foldscan',
    bounds: 'a name',
    why: "how this process is called in the brokers' logs and quotas",
  }),
  kafkaTls: yesOrNo({ takenBy, default: 'false', why: 'talk to the brokers over TLS' }),
  kafkaCaFile: textOrNone({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "who signed the brokers' certificates, if no public authority did",
  }),
  kafkaSaslMechanism: choice(
    { takenBy, unit: '', default: 'none', why: 'how the brokers learn who we are' },
    saslMechanisms,
  ),
  kafkaUser: textOrNone({
    takenBy,
    unit: '',
    bounds: 'a name',
    why: 'with a mechanism other than none',
  }),
  kafkaPassword: secret({ takenBy, why: 'of that user' }),
  kafkaTopicPrefix: nameOf({
    takenBy,
    unit: '',
    default: '',
    why: 'before the name of each topic, where several chains share the brokers',
  }),
  kafkaGroupPrefix: nameOf({
    takenBy: ['projector', 'lag'],
    unit: '',
    default: 'foldscan',
    why: 'before the name of each consumer group',
  }),
}
