import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lmdbEventLog } from '../../../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { embeddedBounds } from '../../../libs/topics/topics.ts'
import type { Run } from '../command.ts'
import { lockFolder } from '../process/folder-lock.ts'
import { chainInTopic } from '../serve/chain-check.ts'
import { startEngineIn } from '../up/embedded-store.ts'
import { importAbis, importSignatures } from './import/import-abis.ts'
import { importHolders } from './import/import-holders.ts'
import { importLabels } from './import/import-labels.ts'
import { importPrices } from './import/import-prices.ts'
import { importTokens } from './import/import-tokens.ts'
import type { ImportKind } from './import/imported.ts'
import { byTopic, linesOf, publishFacts, refuseFaults } from './import/publish-facts.ts'
import { type ReadImport, readImport } from './import/read-import.ts'
import {
  interruptedExitCode,
  openClusterLog,
  print,
  runTask,
  type TaskContext,
} from './run-task.ts'

type ImportSettings = SettingsOf<
  'import abi' | 'import holders' | 'import labels' | 'import signatures' | 'import tokens'
>

interface Import {
  readonly kind: ImportKind
  readonly settings: ImportSettings
  readonly files: readonly string[]
}

/** `foldscan import abi FILE...` */
export const importAbi: Run<'import abi'> = (settings, { log, words: files }) =>
  runTask(log, (task) => run({ kind: importAbis, settings, files }, task))

/** `foldscan import holders FILE...` */
export const importTokenHolders: Run<'import holders'> = (settings, { log, words: files }) =>
  runTask(log, (task) => run({ kind: importHolders, settings, files }, task))

/** `foldscan import labels FILE...` */
export const importAddressLabels: Run<'import labels'> = (settings, { log, words: files }) =>
  runTask(log, (task) => run({ kind: importLabels, settings, files }, task))

/** `foldscan import signatures FILE...` */
export const importKnownSignatures: Run<'import signatures'> = (settings, { log, words: files }) =>
  runTask(log, (task) => run({ kind: importSignatures, settings, files }, task))

/** `foldscan import prices FILE...`: of the coin of one chain. */
export const importCoinPrices: Run<'import prices'> = (settings, { log, words: files }) =>
  runTask(log, (task) =>
    run({ kind: importPrices, settings, files }, task, {
      named: settings.chainId,
      prefix: settings.kafkaTopicPrefix,
    }),
  )

/** `foldscan import tokens FILE...` */
export const importTokenNames: Run<'import tokens'> = (settings, { log, words: files }) =>
  runTask(log, (task) => run({ kind: importTokens, settings, files }, task))

interface ChainOfPrices {
  /** By the setting; null if it is not set. */
  readonly named: number | null
  readonly prefix: string
}

/** Checks all files before it connects to anything: a wrong line needs no server. */
async function run(importing: Import, task: TaskContext, chain?: ChainOfPrices): Promise<number> {
  const { kind, settings } = importing
  const unnamed = chain === undefined ? null : (chain.named ?? 1)
  const read = await filesOf(importing, unnamed)
  if (!settings.skipInvalid) refuseFaults(read.faults, 'publish the rest with --skip-invalid')
  if (settings.dryRun) return report(importing, read, 0)
  const eventLog = await openLog(importing, task)
  const chainId = chain && (await chainOf(eventLog, chain))
  const facts = chainId ? (await filesOf(importing, chainId)).facts : read.facts
  const count = await publishFacts(eventLog, { topic: kind.topic, facts, signal: task.signal })
  await report(importing, read, count)
  return count < facts.length ? interruptedExitCode : 0
}

async function filesOf({ kind, files }: Import, chainId: number | null): Promise<ReadImport> {
  try {
    return await readImport(kind, files, { time: Math.floor(Date.now() / 1_000), chainId })
  } catch (error) {
    throw new StartupError(
      `A file cannot be read: ${error instanceof Error ? error.message : error}.`,
    )
  }
}

const openLog = ({ kind, settings }: Import, task: TaskContext): Promise<EventLog> =>
  settings.intoDataDir === null
    ? openClusterLog(task, { settings, topics: [kind.topic, ...(kind.otherTopics ?? [])] })
    : openFolderLog(task, settings.intoDataDir)

/** @throws StartupError if the chain is unknown, or the topic has another chain than the setting */
async function chainOf(eventLog: EventLog, { named, prefix }: ChainOfPrices): Promise<number> {
  const inTopic = await chainInTopic(eventLog)
  if (inTopic !== null && named !== null && inTopic !== named) {
    throw new StartupError(`Topic ${prefix}blocks is of chain ${inTopic}, --chain-id is ${named}.`)
  }
  const chainId = inTopic ?? named
  if (chainId !== null) return chainId
  throw new StartupError(
    `Topic ${prefix}blocks is empty: name the chain whose coin these prices are of with --chain-id.`,
  )
}

async function report(
  { kind, settings, files }: Import,
  { facts, faults, leftOut }: ReadImport,
  published: number,
): Promise<number> {
  const used = [...byTopic(facts, kind.topic).keys()].sort()
  const topics = used.length === 0 ? [kind.topic] : used
  if (settings.json) {
    await print(
      JSON.stringify({ topics, valid: facts.length, published, invalid: faults, leftOut }),
    )
    return 0
  }
  for (const line of linesOf(faults)) await print(`skipped ${line}`)
  for (const line of linesOf(leftOut)) await print(`left out ${line}`)
  const of = files.length === 1 ? 'a file' : `${files.length} files`
  await print(
    settings.dryRun
      ? `${facts.length} facts for ${topics.join(' and ')} in ${of}: nothing was published`
      : `published ${published} of ${facts.length} facts of ${of} to ${topics.join(' and ')}`,
  )
  return 0
}

/**
 * The log in the data folder of `up`, while `up` is stopped. Opening the log fences its last owner,
 * so the engine comes first, as in `up`: its lock on the folder holds across containers.
 *
 * @throws StartupError if another process uses the folder, or `up` never did
 */
export async function openFolderLog(task: TaskContext, dataDir: string): Promise<EventLog> {
  const folder = resolve(dataDir)
  if (!existsSync(join(folder, 'log', 'log.lmdb'))) {
    throw new StartupError(
      `The folder ${folder} of --into-data-dir holds no log: \`foldscan up --data-dir\` makes it.`,
    )
  }
  return openLogIn(task, folder)
}

/** The same in a folder that `up` may never have used. @param folder absolute, and made */
export async function openLogIn(
  { log, components }: TaskContext,
  folder: string,
): Promise<EventLog> {
  const free = lockFolder(folder)
  components.add({ name: 'lock', stop: async () => free() })
  const engine = await startEngineIn(join(folder, 'engine'), log)
  components.add({ name: 'engine', stop: () => engine.stop(), failed: engine.exited })
  const events = lmdbEventLog({ folder: join(folder, 'log'), keptMessagesMax: embeddedBounds })
  components.add({ name: 'log', stop: () => events.close() })
  return events
}
