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

const kafkaUsers = [
  'ingestor',
  'enricher',
  'projector',
  'api',
  'topics create',
  'topics check',
  'topics describe',
  'lag',
  'repair',
  'log export',
  'log import',
  'dead-letters list',
  'dead-letters replay',
  'dead-letters acknowledge',
  'import abi',
  'import labels',
  'import prices',
  'import signatures',
  'import tokens',
  'keys add',
  'keys list',
  'keys revoke',
] as const

const saslMechanisms = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const

/** The Kafka brokers that hold the topics. */
export const kafkaSettings = {
  kafkaBrokers: listSetting({
    takenBy: kafkaUsers,
    unit: 'host:port',
    default: '127.0.0.1:9092',
    bounds: 'one or more, separated by commas',
    why: 'bootstrap brokers',
  }),
  kafkaClientId: textSetting({
    takenBy: kafkaUsers,
    unit: 'name',
    default: 'foldscan',
    bounds: 'any text',
    why: "client id of this process in the brokers' logs and quotas",
  }),
  kafkaTls: booleanSetting({ takenBy: kafkaUsers, why: 'connect to the brokers over TLS' }),
  kafkaCaFile: optionalText({
    takenBy: kafkaUsers,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the brokers', if it is not publicly trusted",
  }),
  kafkaSaslMechanism: choiceSetting(
    {
      takenBy: kafkaUsers,
      unit: 'mechanism',
      default: 'none',
      why: 'SASL mechanism of the brokers',
    },
    saslMechanisms,
  ),
  kafkaUser: optionalText({
    takenBy: kafkaUsers,
    unit: 'name',
    bounds: 'a user',
    why: 'SASL user',
  }),
  kafkaPassword: secretSetting({ takenBy: kafkaUsers, why: 'password of `--kafka-user`' }),
  kafkaTopicPrefix: nameSetting({
    takenBy: kafkaUsers,
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

const writers = ['projector', 'migrate'] as const
/** An ingestor asks once, before it publishes, which chain the tables are of. */
const readers = ['ingestor', 'repair', 'api', 'lag'] as const
const replicaChecks = ['auto', 'on', 'off'] as const
const clickhouseUsers = [...writers, ...readers] as const

/** The ClickHouse server that holds the tables. */
export const clickhouseSettings = {
  clickhouseUrl: textSetting({
    takenBy: clickhouseUsers,
    unit: 'url',
    default: 'http://127.0.0.1:8123',
    bounds: 'http:// or https://, without user or password',
    why: "URL of the server's HTTP interface",
  }),
  clickhouseDatabase: nameSetting({
    takenBy: clickhouseUsers,
    default: 'foldscan',
    why: 'database that holds all tables; `migrate` creates it',
  }),
  clickhouseUser: textSetting({
    takenBy: writers,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that creates and writes the tables',
  }),
  clickhousePassword: secretSetting({ takenBy: writers, why: 'password of `--clickhouse-user`' }),
  clickhouseReadUser: textSetting({
    takenBy: readers,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that reads the tables; its rights, and the bounds that a read-only profile has to leave it, are in deploy/README.md',
  }),
  clickhouseReadPassword: secretSetting({
    takenBy: readers,
    why: 'password of `--clickhouse-read-user`',
  }),
  clickhouseCaFile: optionalText({
    takenBy: clickhouseUsers,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the server's, if it is not publicly trusted",
  }),
  clickhouseQueryTimeoutMs: integerSetting(
    { takenBy: clickhouseUsers, unit: 'ms', default: '10000', why: 'time limit of one query' },
    100,
    600_000,
  ),
  clickhouseCluster: nameSetting({
    takenBy: [...writers, 'api'],
    default: '',
    why: 'name of the ClickHouse cluster, if there is one, of one shard and three or more servers: tables are replicated, inserts wait for a majority',
  }),
  clickhouseReplicaCheck: choiceSetting(
    {
      takenBy: ['api'],
      unit: 'mode',
      default: 'auto',
      why: 'use results of replicas only that have all rows, by their state in system.replicas; auto: where tables are replicated',
    },
    replicaChecks,
  ),
  clickhouseInsertTimeoutMs: integerSetting(
    {
      takenBy: writers,
      unit: 'ms',
      default: '120000',
      why: 'time limit of one insert, or of one statement of a migration',
    },
    1_000,
    3_600_000,
  ),
}

const redisUsers = ['api', 'projector'] as const

/** The Redis that the processes of a deployment share as a cache. */
export const redisSettings = {
  redisUrl: optionalText({
    takenBy: redisUsers,
    unit: 'url',
    bounds:
      'redis:// or rediss://; several separated by commas, a comma within a password written %2C',
    why: 'URL of the shared cache of pages and rows, or of several servers that share its keys; without it every process has its own only',
    form: 'file',
  }),
  redisCaFile: optionalText({
    takenBy: redisUsers,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the server's, if it is not publicly trusted",
  }),
  redisPrefix: textSetting({
    takenBy: redisUsers,
    unit: 'text',
    default: 'foldscan:',
    bounds: 'any text',
    why: 'prefix of every key; each deployment needs its own',
  }),
  redisTimeoutMs: integerSetting(
    {
      takenBy: redisUsers,
      unit: 'ms',
      default: '100',
      why: 'time limit of one command; a later reply counts as a miss',
    },
    1,
    10_000,
  ),
}
