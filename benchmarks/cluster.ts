import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { environmentOf } from '../deploy/stack/environment.ts'
import { startStack } from '../deploy/stack/stack.ts'
import { clickhouseStore } from '../libs/adapters/clickhouse/clickhouse-store.ts'
import { kafkaEventLog } from '../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../libs/adapters/kafka/topic-admin.ts'
import { type EventLog, type LogMessage, LogUnavailable } from '../libs/ports/event-log.ts'
import type { Store } from '../libs/ports/store.ts'
import type { CommandName } from '../libs/settings/setting.ts'
import { silentLog } from '../libs/signals/log.ts'
import { migrate } from '../libs/tables/migrate.ts'
import { topicSpecs } from '../services/cli/serve/servers/open-kafka.ts'
import { setup as compileServices } from '../test/support/compiled-services.ts'
import { until } from '../test/support/until.ts'
import { endAll, type Running, startCommand } from '../test/up/running.ts'
import { generatedChainId } from './generated-chain.ts'
import { naiveStore } from './read/naive-store.ts'
import { versionOf } from './workspace.ts'

/** Real servers and services on this machine, for one benchmark; all of it goes with `end`. */
export interface Cluster {
  /** The log of Kafka, to publish on. */
  readonly eventLog: EventLog
  readonly folder: string
  /** Process ids of the servers, by name. */
  readonly servers: Readonly<Record<string, number>>
  start(command: CommandName, flags?: Record<string, string>): Running
  /** Tables of the services, for naive statements; to be closed. */
  tables(): Store
  /** Another database of that name with all tables, empty. */
  store(database: string): Promise<Store>
  /** Of ClickHouse. */
  version(): Promise<string>
  end(): Promise<void>
}

const startMaxMs = 120_000
const appendAttemptsMax = 10
const appendPauseMs = 500
const database = 'foldscan'

/** Topics and tables are there when it resolves. */
export async function openCluster(): Promise<Cluster> {
  const removeCompiled = await compileServices()
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-bench-'))
  const stack = await startStack({ folder: join(folder, 'stack') })
  const addresses = {
    kafka: stack.kafka.address,
    clickhouse: stack.clickhouse.address,
    redis: stack.redis.address,
  }
  const place = { brokers: addresses.kafka.brokers, clientId: 'bench', tls: null, sasl: null }
  const eventLog = kafkaEventLog({ place, log: silentLog, compacted: [] })
  const environment = {
    ...environmentOf(addresses),
    FOLDSCAN_CLICKHOUSE_DATABASE: database,
    FOLDSCAN_DATA_DIR: join(folder, 'volumes'),
    FOLDSCAN_HEALTH_PORT: '0',
    FOLDSCAN_PORT: '0',
  }
  const start: Cluster['start'] = (command, flags = {}) => startCommand(command, flags, environment)
  const admin = await topicAdmin({ place, log: silentLog })
  await admin.create(topicSpecs({ prefix: '', replicationFactor: 1 }))
  await admin.close()
  const migrated = await start('migrate', { 'chain-id': `${generatedChainId}` }).exited
  if (migrated.code !== 0) throw new Error(migrated.reason)
  const stores: Store[] = []
  const open = (name: string) => {
    const { url, username, password } = addresses.clickhouse
    const store = clickhouseStore({ url, username, password, database: name })
    stores.push(store)
    return store
  }
  return {
    eventLog,
    folder,
    servers: {
      Kafka: stack.kafka.pid() ?? 0,
      ClickHouse: stack.clickhouse.pid() ?? 0,
      Redis: stack.redis.pid() ?? 0,
    },
    start,
    tables: () => naiveStore(addresses.clickhouse, database),
    async store(name) {
      await open('default').execute(`CREATE DATABASE ${name} ENGINE = Atomic`)
      const store = open(name)
      await migrate(store)
      return store
    },
    version: async () => await versionOf(open('default')),
    async end() {
      endAll()
      for (const store of stores) await store.close()
      await eventLog.close()
      await stack.stop()
      rmSync(folder, { recursive: true, force: true })
      removeCompiled()
    },
  }
}

export const untilReady = (service: Running): Promise<void> =>
  until(
    'the service is ready',
    async () => (await service.get('/health/ready')).status === 200,
    startMaxMs,
  )

/** A metric of a service; 0 while it does not export it. */
export async function metricOf(service: Running, name: string): Promise<number> {
  const text = await (await fetch(`${await service.health()}/metrics`)).text()
  const said = text.split('\n').find((line) => line.startsWith(`${name} `))
  return Number(said?.slice(name.length) ?? 0)
}

/** A topic that was just made may have no leader yet. Creating a message twice is harmless. */
export async function append(
  eventLog: EventLog,
  topic: string,
  messages: readonly LogMessage[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await eventLog.append(topic, messages)
      return
    } catch (error) {
      if (!(error instanceof LogUnavailable) || attempt === appendAttemptsMax) throw error
      await pause(appendPauseMs)
    }
  }
}
