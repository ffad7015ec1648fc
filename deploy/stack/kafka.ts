import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { stackBinaries } from './binaries.ts'
import { buildOnce } from './build-once.ts'
import { freePorts } from './free-port.ts'
import { type KafkaSettings, kafkaProperties, kafkaUsername } from './kafka-properties.ts'
import { startKeptServer } from './kept-server.ts'
import { remember, remembered } from './remembered.ts'
import type { Server } from './server.ts'
import { StackFailure } from './stack-failure.ts'

export interface KafkaAddress {
  /** `127.0.0.1:port`, without a password. */
  readonly brokers: readonly string[]
  /** The same broker by SASL/PLAIN: only for those who know the two words. */
  readonly saslBrokers: readonly string[]
  readonly username: string
  readonly password: string
}

export interface KafkaOptions {
  /** Its own folder. A folder that was used before is opened again, with all that is in it. */
  readonly folder: string
  /** Folder of the log, if not in `folder`: for a log on a small volume. */
  readonly logFolder?: string
  /** Other settings of this broker; see kafka-properties.ts. */
  readonly settings?: KafkaSettings
  readonly heapMaxMiB?: number
  readonly startTimeoutMs?: number
}

const defaults = { heapMaxMiB: 512, startTimeoutMs: 180_000, stopTimeoutMs: 10_000 }
const archiveTimeoutMs = 180_000
const formatTimeoutMs = 180_000
const askTimeoutMs = 1_000
const host = '127.0.0.1'
const archive = 'classes.jsa'

/** One broker that is its own controller. @throws StackFailure */
export async function startKafka(options: KafkaOptions): Promise<Server<KafkaAddress>> {
  const { kafkaClassPath } = await stackBinaries()
  const classes = `${dirname(kafkaClassPath)}-classes`
  await buildOnce(classes, (own) => writeArchive(kafkaClassPath, join(own, archive)))
  const flags = [`-XX:SharedArchiveFile=${join(classes, archive)}`]
  return await launched({ ...defaults, ...options, kafkaClassPath, flags })
}

/**
 * A class data sharing archive: a start costs 1.6 s of CPU instead of 4.5, and tests restart the
 * stack some hundred times. Written once, by a broker that exits immediately; where Java could not
 * write it, everything works, only slower.
 */
async function writeArchive(kafkaClassPath: string, path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-stack-'))
  const flags = [`-XX:ArchiveClassesAtExit=${path}`]
  const stopTimeoutMs = archiveTimeoutMs
  try {
    const broker = await launched({ ...defaults, folder, kafkaClassPath, flags, stopTimeoutMs })
    await broker.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Launch = KafkaOptions &
  typeof defaults & { readonly kafkaClassPath: string; readonly flags: readonly string[] }

async function launched(options: Launch): Promise<Server<KafkaAddress>> {
  const folder = resolve(options.folder)
  const logFolder = resolve(options.logFolder ?? join(folder, 'log'))
  const last = remembered(folder)
  const ports = await freePorts(3, last?.ports ?? [])
  const password = last?.password ?? randomBytes(16).toString('hex')
  remember(folder, { ports, password })
  mkdirSync(logFolder, { recursive: true })
  const properties = join(folder, 'server.properties')
  const text = kafkaProperties({ host, ports, password, logFolder }, options.settings ?? {})
  writeFileSync(properties, text, { mode: 0o600 })
  const { kafkaClassPath, flags, heapMaxMiB } = options
  if (!existsSync(join(logFolder, 'meta.properties'))) await format(kafkaClassPath, properties)
  const address = kafkaAddress(ports, password)
  const java = [...flags, ...javaFlags(heapMaxMiB, folder), '-cp', kafkaClassPath]
  return await startKeptServer({
    name: 'Kafka',
    folder,
    address,
    command: 'java',
    args: [...java, 'kafka.Kafka', properties],
    ask: () => kafkaAnswers(address.brokers),
    startTimeoutMs: options.startTimeoutMs,
    stopTimeoutMs: options.stopTimeoutMs,
  })
}

/** Where the first two of these ports lead. */
export const kafkaAddress = (ports: readonly number[], password: string): KafkaAddress => ({
  brokers: [`${host}:${ports[0]}`],
  saslBrokers: [`${host}:${ports[1]}`],
  username: kafkaUsername,
  password,
})

const javaFlags = (heapMaxMiB: number, folder: string) => [
  `-Xmx${heapMaxMiB}m`,
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  `-XX:ErrorFile=${join(folder, 'java-error.log')}`,
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
]

async function format(classPath: string, properties: string): Promise<void> {
  const cluster = randomBytes(16).toString('base64url')
  // In one word: one of 64 ids begins with a minus, as an option does.
  const tool = ['kafka.tools.StorageTool', 'format', `--cluster-id=${cluster}`, '-c', properties]
  const args = ['-XX:TieredStopAtLevel=1', '-cp', classPath, ...tool]
  await promisify(execFile)('java', args, { timeout: formatTimeoutMs }).catch((error: unknown) => {
    throw new StackFailure(`Kafka's log folder cannot be formatted: ${String(error)}`)
  })
}

/** It answers when it would take a message: a broker that is fenced yet is in no metadata. */
export async function kafkaAnswers(brokers: readonly string[]): Promise<void> {
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
