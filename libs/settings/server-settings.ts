import { commandClasses } from './command-classes.ts'
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

const saslMechanisms = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const

/** The Kafka brokers that hold the topics. */
export const kafkaSettings = {
  kafkaBrokers: listSetting({
    takenBy: commandClasses.kafka,
    unit: 'host:port',
    default: '127.0.0.1:9092',
    bounds: 'one or more, separated by commas',
    why: 'bootstrap brokers',
  }),
  kafkaClientId: textSetting({
    takenBy: commandClasses.kafka,
    unit: 'name',
    default: 'foldscan',
    bounds: 'any text',
    why: "client id of this process in the brokers' logs and quotas",
  }),
  kafkaTls: booleanSetting({
    takenBy: commandClasses.kafka,
    why: 'connect to the brokers over TLS',
  }),
  kafkaCaFile: optionalText({
    takenBy: commandClasses.kafka,
    unit: 'file',
    bounds: 'PEM',
    why: 'CA that signed the certificate of the brokers, if it is not publicly trusted',
  }),
  kafkaSaslMechanism: choiceSetting(
    {
      takenBy: commandClasses.kafka,
      unit: 'mechanism',
      default: 'none',
      why: 'SASL mechanism of the brokers',
    },
    saslMechanisms,
  ),
  kafkaUser: optionalText({
    takenBy: commandClasses.kafka,
    unit: 'name',
    bounds: 'a user',
    why: 'SASL user',
  }),
  kafkaPassword: secretSetting({
    takenBy: commandClasses.kafka,
    why: 'password of `--kafka-user`',
  }),
  kafkaTopicPrefix: nameSetting({
    takenBy: commandClasses.kafka,
    default: '',
    why: 'prefix of every topic name, for several chains on the same brokers',
  }),
  kafkaReplicationFactor: integerSetting(
    {
      takenBy: commandClasses.topic,
      unit: 'brokers',
      default: '3',
      why: 'brokers that hold each topic, at least; 1 allows a single broker, whose loss loses blocks',
    },
    1,
    15,
  ),
  kafkaGroupPrefix: nameSetting({
    takenBy: commandClasses.consumer,
    default: 'foldscan',
    why: 'prefix of every consumer group name',
  }),
}

const replicaChecks = ['auto', 'on', 'off'] as const

/** The ClickHouse server that holds the tables. */
export const clickhouseSettings = {
  clickhouseUrl: textSetting({
    takenBy: commandClasses.clickhouse,
    unit: 'url',
    default: 'http://127.0.0.1:8123',
    bounds: 'http:// or https://, without user or password',
    why: "URL of the server's HTTP interface",
  }),
  clickhouseDatabase: nameSetting({
    takenBy: commandClasses.clickhouse,
    default: 'foldscan',
    why: 'database that holds all tables; `migrate` creates it',
  }),
  clickhouseUser: textSetting({
    takenBy: commandClasses.write,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that creates and writes the tables',
  }),
  clickhousePassword: secretSetting({
    takenBy: commandClasses.write,
    why: 'password of `--clickhouse-user`',
  }),
  clickhouseReadUser: textSetting({
    takenBy: commandClasses.read,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that reads the tables; deploy/README.md has its rights, and settings that its profile must not make read-only',
  }),
  clickhouseReadPassword: secretSetting({
    takenBy: commandClasses.read,
    why: 'password of `--clickhouse-read-user`',
  }),
  clickhouseCaFile: optionalText({
    takenBy: commandClasses.clickhouse,
    unit: 'file',
    bounds: 'PEM',
    why: 'CA that signed the certificate of the server, if it is not publicly trusted',
  }),
  clickhouseQueryTimeoutMs: integerSetting(
    {
      takenBy: commandClasses.clickhouse,
      unit: 'ms',
      default: '10000',
      why: 'time limit of one query',
    },
    100,
    600_000,
  ),
  clickhouseCluster: nameSetting({
    takenBy: commandClasses.cluster,
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
      takenBy: commandClasses.write,
      unit: 'ms',
      default: '120000',
      why: 'time limit of one insert, or of one statement of a migration',
    },
    1_000,
    3_600_000,
  ),
}

/** The Redis that the processes of a deployment share as a cache. */
export const redisSettings = {
  redisUrl: optionalText({
    takenBy: commandClasses.redis,
    unit: 'url',
    bounds:
      'redis:// or rediss://; several separated by commas, a comma within a password written %2C',
    why: 'URL of the shared cache of pages and rows, or of several servers that share its keys; without it every process has its own only',
    form: 'file',
  }),
  redisCaFile: optionalText({
    takenBy: commandClasses.redis,
    unit: 'file',
    bounds: 'PEM',
    why: 'CA that signed the certificate of the server, if it is not publicly trusted',
  }),
  redisPrefix: textSetting({
    takenBy: commandClasses.redis,
    unit: 'text',
    default: 'foldscan:',
    bounds: 'any text',
    why: 'prefix of every key; each deployment needs its own',
  }),
  redisTimeoutMs: integerSetting(
    {
      takenBy: commandClasses.redis,
      unit: 'ms',
      default: '100',
      why: 'time limit of one command; a later reply counts as a miss',
    },
    1,
    10_000,
  ),
}
