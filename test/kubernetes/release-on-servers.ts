import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { StackAddresses } from '../../deploy/stack/environment.ts'
import { demoChainId } from '../../services/demo-chain/demo-chain-port.ts'
import { helmTools } from '../helm/helm-tools.ts'
import type { OwnPlace } from '../support/cluster.ts'
import { tags } from './image.ts'
import { Release } from './release.ts'

export interface ReleaseOnServers {
  readonly release: Release
  /** For `helm --values`. */
  readonly values: ReturnType<typeof valuesFor>
  /** What of its secrets nobody may see: an address is none. */
  readonly canaries: readonly string[]
}

/** Names of the release's objects begin with it. */
export const releaseName = 'demo-foldscan'
const secretName = 'demo-secrets'

export interface ReleasePlace {
  readonly servers: StackAddresses
  readonly place: OwnPlace
  /** Of the chain. */
  readonly nodeUrl: string
}

/** A release of the chart beside servers. @param other secrets by their keys; null: no such key */
export async function releaseOnServers(
  { servers, place, nodeUrl }: ReleasePlace,
  other: Readonly<Record<string, string | null>> = {},
): Promise<ReleaseOnServers> {
  const tools = await helmTools()
  if (tools === null) throw new Error('there is no Helm')
  // A node with a key in its URL, which this one does not look at.
  const key = `canary-${randomBytes(8).toString('hex')}`
  const secrets = {
    source: `${nodeUrl}?key=${key}`,
    'clickhouse-password': servers.clickhouse.password,
    'clickhouse-read-password': servers.clickhouse.reader.password,
    'kafka-password': servers.kafka.password,
    'redis-url': servers.redis.url,
  }
  const { source, 'redis-url': redisUrl, ...passwords } = secrets
  const canaries = [key, new URL(redisUrl).password, ...Object.values(passwords)]
  const held = Object.entries({ ...secrets, ...other }).filter(([, text]) => text !== null)
  const ofCluster = {
    [secretName]: z.record(z.string(), z.string()).parse(Object.fromEntries(held)),
  }
  const release = new Release({ tools, name: releaseName, secrets: ofCluster })
  return { release, values: valuesFor(servers, place), canaries }
}

export const nextImage = { repository: tags.repository, tag: tags.next, pullPolicy: 'Never' }

function valuesFor({ kafka, clickhouse }: StackAddresses, place: OwnPlace) {
  const { repository, first } = tags
  return {
    image: { repository, tag: first, pullPolicy: 'Never' },
    settings: {
      chainId: demoChainId,
      // Then a page is a function of the position alone.
      figuresStepSeconds: 0,
      kafkaBrokers: kafka.saslBrokers,
      kafkaSaslMechanism: 'plain',
      kafkaUser: kafka.username,
      kafkaReplicationFactor: 1,
      kafkaTopicPrefix: place.topicPrefix,
      kafkaGroupPrefix: place.topicPrefix,
      clickhouseUrl: clickhouse.url,
      clickhouseDatabase: place.database,
      clickhouseUser: clickhouse.username,
      clickhouseReadUser: clickhouse.reader.username,
      redisPrefix: place.redisPrefix,
    },
    secrets: {
      existingSecret: secretName,
      source: { key: 'source' },
      clickhousePassword: { key: 'clickhouse-password' },
      clickhouseReadPassword: { key: 'clickhouse-read-password' },
      kafkaPassword: { key: 'kafka-password' },
      redisUrl: { key: 'redis-url' },
    },
    enricher: { enabled: true },
    // Each process by its own name in the brokers' logs.
    extraEnv: [
      { name: 'FOLDSCAN_KAFKA_CLIENT_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
  }
}
