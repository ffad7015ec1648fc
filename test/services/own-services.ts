import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { environmentOf, type StackAddresses } from '../../deploy/stack/environment.ts'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import { topicAdmin } from '../../libs/adapters/kafka/topic-admin.ts'
import type { CommandName } from '../../libs/settings/setting.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { topicSpecs } from '../../services/cli/serve/servers/open-kafka.ts'
import type { OwnPlace } from '../support/cluster.ts'
import { dropTestDatabase } from '../support/engine.ts'
import { placeOf } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { type Running, startCommand } from '../up/running.ts'

/** Services with names of their own on servers, and their data in one folder. */
export interface OwnServices {
  readonly start: (
    command: CommandName,
    flags?: Record<string, string>,
    environment?: Record<string, string>,
  ) => Running
  /** Runs a command that ends by itself. @returns its exit code and words */
  readonly run: (command: CommandName, flags?: Record<string, string>) => Running['exited']
  /** The settings that all of them share. */
  readonly environment: Readonly<Record<string, string>>
  readonly createTopics: () => Promise<void>
  /** Nothing but what was made here. */
  readonly drop: () => Promise<void>
}

const listening: Partial<Record<CommandName, Record<string, string>>> = {
  api: { port: '0', 'health-port': '0' },
  ingestor: { 'health-port': '0' },
  projector: { 'health-port': '0' },
  enricher: { 'health-port': '0' },
}

export function ownServices(servers: StackAddresses, place: OwnPlace): OwnServices {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-services-'))
  const own = {
    ...environmentOf(servers),
    FOLDSCAN_KAFKA_TOPIC_PREFIX: place.topicPrefix,
    FOLDSCAN_KAFKA_GROUP_PREFIX: place.topicPrefix,
    FOLDSCAN_CLICKHOUSE_DATABASE: place.database,
    FOLDSCAN_REDIS_PREFIX: place.redisPrefix,
    FOLDSCAN_DATA_DIR: folder,
  }
  const start: OwnServices['start'] = (command, flags = {}, environment = {}) =>
    startCommand(command, { ...listening[command], ...flags }, { ...own, ...environment })
  return {
    start,
    run: (command, flags) => start(command, flags).exited,
    environment: own,
    async createTopics() {
      const admin = await topicAdmin({ place: placeOf(servers.kafka.brokers), log: silentLog })
      await admin.create(topicSpecs({ prefix: place.topicPrefix, replicationFactor: 1 }))
      await admin.close()
    },
    async drop() {
      rmSync(folder, { recursive: true, force: true })
      await dropTestDatabase(servers.clickhouse, place.database)
    },
  }
}

/** One statement as the user who may do all. */
export const asked = (servers: StackAddresses, sql: string) => queryEngine(servers.clickhouse, sql)

const readiness = z.object({
  status: z.string(),
  reasons: z.array(z.object({ reason: z.string(), sentence: z.string() })).default([]),
})

/** Words for why it is not ready; none if it is. */
export async function reasonsOf(service: Running): Promise<string[]> {
  const { body } = await service.get('/health/ready')
  return readiness.parse(body).reasons.map(({ reason }) => reason)
}

const readyMaxMs = 90_000

/** Waits until it is ready, or until it is not for just those reasons. */
export const untilReasons = (service: Running, reasons: readonly string[] = []) =>
  until(
    `reasons: ${reasons.join(', ') || 'none, it is ready'}`,
    async () => (await reasonsOf(service)).join() === reasons.join(),
    readyMaxMs,
  )
