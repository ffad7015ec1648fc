import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers'
import { freePorts } from '../../deploy/stack/free-port.ts'
import { kafkaAddress, kafkaAnswers } from '../../deploy/stack/kafka.ts'
import { kafkaProperties } from '../../deploy/stack/kafka-properties.ts'
import { redisAnswers, redisServerAddress } from '../../deploy/stack/redis.ts'
import type { Stack } from '../../deploy/stack/stack.ts'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import { type ContainerServer, startContainerServer } from './container-server.ts'

const compose = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8')

/** The official image that compose.yaml names; the same word in the environment names another. */
function imageOf(word: string): string {
  const named = new RegExp(`\\$\\{${word}:-([^}]+)\\}`).exec(compose)?.[1]
  if (!named) throw new Error(`compose.yaml names no ${word}`)
  return process.env[word] ?? named
}

const newPassword = () => randomBytes(16).toString('hex')

export const dockerAnswers = (): Promise<boolean> =>
  getContainerRuntimeClient().then(
    () => true,
    () => false,
  )

/** As `startStack`, each server in a container of its own, gone after `stop`. */
export async function startContainerStack(): Promise<Stack> {
  const starting = { kafka: kafka(), clickhouse: clickhouse(), redis: redis() }
  const all: readonly Promise<ContainerServer<unknown>>[] = Object.values(starting)
  const settled = await Promise.allSettled(all)
  const stop = async () => {
    const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(started.map((server) => server.remove()))
  }
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  return {
    kafka: await starting.kafka,
    clickhouse: await starting.clickhouse,
    redis: await starting.redis,
    stop,
  }
}

/** A broker names the port where clients find it, so the port is chosen before it starts. */
async function kafka() {
  const [open = 0, sasl = 0, controller = 0] = await freePorts(3, [])
  const password = newPassword()
  const address = kafkaAddress([open, sasl], password)
  const ports = [open, sasl, controller]
  const logFolder = '/var/lib/kafka/data'
  const content = kafkaProperties({ host: '0.0.0.0', ports, password, logFolder }, {})
  const target = '/mnt/shared/config/server.properties'
  const container = new GenericContainer(imageOf('STACK_KAFKA_IMAGE'))
    .withEnvironment({ CLUSTER_ID: randomBytes(16).toString('base64url') })
    .withEnvironment({ KAFKA_HEAP_OPTS: '-Xmx512m' })
    .withExposedPorts(...[open, sasl].map((port) => ({ container: port, host: port })))
    .withCopyContentToContainer([{ content, target, mode: 0o644 }])
  const asked = () => kafkaAnswers(address.brokers)
  return await startContainerServer({ name: 'Kafka', container, address, ask: asked })
}

const users = new URL('../../deploy/stack/clickhouse-users.xml', import.meta.url)
const httpPort = 8123
const redisPort = 6379

async function clickhouse() {
  const [port = 0] = await freePorts(1, [])
  const writer = { username: 'foldscan', password: newPassword() }
  const reader = { username: 'foldscan_reader', password: newPassword() }
  const target = '/etc/clickhouse-server/users.d/foldscan.xml'
  const content = readFileSync(users, 'utf8')
  const container = new GenericContainer(imageOf('STACK_CLICKHOUSE_IMAGE'))
    .withEnvironment({ CLICKHOUSE_USER: writer.username, CLICKHOUSE_PASSWORD: writer.password })
    .withEnvironment({ FOLDSCAN_CLICKHOUSE_READ_PASSWORD: reader.password })
    .withExposedPorts({ container: httpPort, host: port })
    .withCopyContentToContainer([{ content, target, mode: 0o644 }])
  const address = { url: `http://127.0.0.1:${port}`, ...writer, reader }
  const asked = () => queryEngine(address, 'SELECT 1')
  return await startContainerServer({ name: 'ClickHouse', container, address, ask: asked })
}

async function redis() {
  const [port = 0] = await freePorts(1, [])
  const password = newPassword()
  const address = redisServerAddress(port, password)
  const cache = ['--maxmemory', '128mb', '--maxmemory-policy', 'allkeys-lru', '--save', '']
  const container = new GenericContainer(imageOf('STACK_REDIS_IMAGE'))
    .withCommand(['redis-server', '--requirepass', password, '--appendonly', 'no', ...cache])
    .withExposedPorts({ container: redisPort, host: port })
  const asked = () => redisAnswers(address)
  return await startContainerServer({ name: 'Redis', container, address, ask: asked })
}
