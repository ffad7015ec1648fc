import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { stackBinaries } from './binaries.ts'
import { freePorts } from './free-port.ts'
import { type KafkaSettings, kafkaProperties, kafkaUsername } from './kafka-properties.ts'
import { startKeptServer } from './kept-server.ts'
import { remember, remembered } from './remembered.ts'
import type { Server } from './server.ts'
import { StackFailure } from './stack-failure.ts'

export interface KafkaAddress {
  /** `127.0.0.1:port`, for everybody. */
  readonly brokers: readonly string[]
  /** The same broker by SASL/PLAIN: only for those who know the two words. */
  readonly saslBrokers: readonly string[]
  readonly username: string
  readonly password: string
}

export interface KafkaOptions {
  /** Its own folder. A folder that was used before is opened again, with all that is in it. */
  readonly folder: string
  /** Where the log lies, if not in `folder`: for a log on a small volume. */
  readonly logFolder?: string
  /** What this broker shall have otherwise; see kafka-properties.ts. */
  readonly settings?: KafkaSettings
  readonly heapMaxMiB?: number
  readonly startTimeoutMs?: number
}

const defaults = { heapMaxMiB: 512, startTimeoutMs: 60_000 }
const stopTimeoutMs = 10_000
const formatTimeoutMs = 60_000
const askTimeoutMs = 1_000

/** One broker that is its own controller. @throws StackFailure */
export async function startKafka(options: KafkaOptions): Promise<Server<KafkaAddress>> {
  const { heapMaxMiB, startTimeoutMs } = { ...defaults, ...options }
  const folder = resolve(options.folder)
  const logFolder = resolve(options.logFolder ?? join(folder, 'log'))
  const { kafkaClassPath } = await stackBinaries()
  const last = remembered(folder)
  const ports = await freePorts(3, last?.ports ?? [])
  const password = last?.password ?? randomBytes(16).toString('hex')
  remember(folder, { ports, password })
  mkdirSync(logFolder, { recursive: true })
  const properties = join(folder, 'server.properties')
  const text = kafkaProperties({ ports, password, logFolder }, options.settings ?? {})
  writeFileSync(properties, text, { mode: 0o600 })
  if (!existsSync(join(logFolder, 'meta.properties'))) await format(kafkaClassPath, properties)
  const at = (port: number | undefined) => [`127.0.0.1:${port}`]
  const address = { username: kafkaUsername, password, ...brokersOf(ports.map(at)) }
  return await startKeptServer({
    name: 'Kafka',
    folder,
    address,
    command: 'java',
    args: [...javaFlags(heapMaxMiB, folder), '-cp', kafkaClassPath, 'kafka.Kafka', properties],
    ask: () => answers(address.brokers),
    startTimeoutMs,
    stopTimeoutMs,
  })
}

const brokersOf = ([brokers = [], saslBrokers = []]: readonly (readonly string[])[]) => ({
  brokers,
  saslBrokers,
})

const javaFlags = (heapMaxMiB: number, folder: string) => [
  `-Xmx${heapMaxMiB}m`,
  '-XX:+ExitOnOutOfMemoryError',
  `-XX:ErrorFile=${join(folder, 'java-error.log')}`,
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
]

async function format(classPath: string, properties: string): Promise<void> {
  const cluster = randomBytes(16).toString('base64url')
  const tool = ['kafka.tools.StorageTool', 'format', '-t', cluster, '-c', properties]
  const args = ['-XX:TieredStopAtLevel=1', '-cp', classPath, ...tool]
  await promisify(execFile)('java', args, { timeout: formatTimeoutMs }).catch((error: unknown) => {
    throw new StackFailure(`Kafka's log folder cannot be formatted: ${String(error)}`)
  })
}

/** It answers when it would take a message: a broker that is fenced yet is in no metadata. */
async function answers(brokers: readonly string[]): Promise<void> {
  const kafka = new Kafka({
    clientId: 'foldscan-stack',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: askTimeoutMs,
    requestTimeout: askTimeoutMs,
    retry: { retries: 0 },
  })
  const admin = kafka.admin()
  try {
    await admin.connect()
    const cluster = await admin.describeCluster()
    if (cluster.brokers.length === 0) throw new StackFailure('the broker is not in its cluster yet')
  } finally {
    await admin.disconnect().catch(() => {})
  }
}
