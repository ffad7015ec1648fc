import { checkKafka } from '../../../libs/adapters/kafka/check-kafka.ts'
import type { KafkaConnection } from '../../../libs/adapters/kafka/kafka-client.ts'
import { kafkaEventLog } from '../../../libs/adapters/kafka/kafka-event-log.ts'
import { topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { compactedTopics } from '../../../libs/topics/topics.ts'
import { type Components, runUntilStopped } from '../process/run-until-stopped.ts'
import { type KafkaConnectionSettings, kafkaConnection } from '../serve/servers/open-kafka.ts'

const stopTimeoutMs = 8_000

/** What a task of operators has. */
export interface TaskContext {
  readonly log: Log
  readonly components: Components
  /** Aborts when it is asked to stop. */
  readonly signal: AbortSignal
}

/** As shells report a process that Ctrl-C has ended. */
export const interruptedExitCode = 130

/**
 * Does one thing and is done. Does not wait for servers that are unavailable.
 * @returns the exit code of the work, by default 0; 130 if a signal came first. @throws what failed
 */
export async function runTask(
  log: Log,
  work: (task: TaskContext) => Promise<number | undefined>,
): Promise<number> {
  let exitCode = interruptedExitCode
  const ending = new AbortController()
  await runUntilStopped({
    log,
    stopTimeoutMs,
    stopping: () => ending.abort(),
    async start(components) {
      exitCode = (await work({ log, components, signal: ending.signal })) ?? 0
      return 'done'
    },
  })
  return exitCode
}

/** Writes a line to stdout. Resolves when it is written: a pipe may be slower than we are. */
export const print = (line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()))
  })

type Cell = string | number | null

/** Lines of cells under their headings; unknown values are a dash. Numbers are aligned right. */
export function textTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => shown(row[at]).length)),
  )
  const isNumeric = headings.map((_, at) => rows.every((row) => typeof row[at] !== 'string'))
  const line = (cells: readonly (Cell | undefined)[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0
        return isNumeric[at] ? shown(cell).padStart(width) : shown(cell).padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map(line).join('\n')
}

const shown = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '-' : String(cell)

interface ClusterLogOptions {
  readonly settings: KafkaConnectionSettings & { readonly kafkaTopicPrefix: string }
  /** Topics that must exist. */
  readonly topics: readonly string[]
}

/** Opens the log. @throws with one sentence if Kafka denies access, or the topics are missing */
export async function openClusterLog(
  task: TaskContext,
  { settings, topics }: ClusterLogOptions,
): Promise<EventLog> {
  const { log, components } = task
  const place = kafkaConnection(settings)
  await checkKafka({ place, log })
  const topicPrefix = settings.kafkaTopicPrefix
  await refuseMissing(
    task,
    place,
    topics.map((topic) => topicPrefix + topic),
  )
  const eventLog = kafkaEventLog({ place, log, topicPrefix, compacted: compactedTopics })
  components.add({ name: 'log', stop: () => eventLog.close(), failed: eventLog.failed })
  return eventLog
}

async function refuseMissing(
  { log }: TaskContext,
  place: KafkaConnection,
  names: readonly string[],
) {
  const admin = await topicAdmin({ place, log })
  const states = await admin.describe(names).finally(() => admin.close().catch(() => {}))
  const missing = names.filter((_, at) => !states[at])
  if (missing.length === 0) return
  throw new StartupError(
    `Topics are missing on Kafka: ${missing.join(', ')}. ` +
      'Create them with `foldscan topics create`, or correct --kafka-topic-prefix.',
  )
}
