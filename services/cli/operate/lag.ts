import { groupOffsets } from '../../../libs/adapters/kafka/offsets.ts'
import { commandLine, type SettingInputs } from '../../../libs/settings/read-settings.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { groupId } from '../../../libs/tables/declare/group-versions.ts'
import { deploymentOf } from '../../../libs/tables/deployment.ts'
import { deadLetterTopic, factTopicNames } from '../../../libs/topics/topics.ts'
import type { Run } from '../command.ts'
import { describeFailure } from '../process/failure.ts'
import { readingAddress } from '../serve/servers/clickhouse-access.ts'
import { consumerGroup, kafkaConnection } from '../serve/servers/open-kafka.ts'
import { type Lag, lagOf, OpenLetters } from './lag/lag.ts'
import { lagExitCodes, lagStatus, reasonsBehind } from './lag/lag-status.ts'
import {
  interruptedExitCode,
  openClusterLog,
  print,
  runTask,
  type TaskContext,
  textTable,
} from './run-task.ts'
import { withMigratedTables } from './with-migrated-tables.ts'

type LagSettings = SettingsOf<'lag'>

const watchIntervalMs = 2_000

/** `foldscan lag`: once, or again and again until it is interrupted. */
export const operateLag: Run<'lag'> = async (settings, { log, inputs }) => {
  const exitCode = await runTask(log, async (task) => {
    const look = await lagOfCluster(task, settings)
    if (settings.watch) return watch(task, async () => outputOf(await look(), settings, inputs))
    const lag = await look()
    await print(outputOf(lag, settings, inputs))
    return lagExitCodes[lagStatus(lag, limitsOf(settings))]
  })
  // To interrupt it is how watching ends.
  return settings.watch && exitCode === interruptedExitCode ? 0 : exitCode
}

const limitsOf = ({ behindMessages, behindSeconds }: LagSettings) => ({
  messagesMax: behindMessages,
  ageSecondsMax: behindSeconds,
})

function outputOf(lag: Lag, settings: LagSettings, inputs: SettingInputs): string {
  const limits = limitsOf(settings)
  const status = lagStatus(lag, limits)
  const reasons = reasonsBehind(lag, limits)
  if (settings.json) return JSON.stringify({ status, reasons, ...lag })
  return [lagText(lag, commandsOf(inputs)), ...reasons].join('\n')
}

const commandsOf = (inputs: SettingInputs): LagCommands => ({
  repair: (from) => commandLine('repair', inputs, { from: `${from}` }),
  listDeadLetters: commandLine('dead-letters list', inputs),
})

/** Prints what it looks at every few seconds; a server that is unavailable may recover. */
async function watch({ signal }: TaskContext, look: () => Promise<string>): Promise<number> {
  while (!signal.aborted) {
    const output = await look().catch((error: unknown) => describeFailure(error, null).sentence)
    await print(process.stdout.isTTY ? onClearedScreen(output) : output)
    await pause(watchIntervalMs, signal)
  }
  return interruptedExitCode
}

const onClearedScreen = (text: string) =>
  `\u001b[2J\u001b[H${new Date().toISOString()}, every ${watchIntervalMs / 1000} s\n\n${text}`

/** What looks at log and tables, again at each call. */
async function lagOfCluster(task: TaskContext, settings: LagSettings): Promise<() => Promise<Lag>> {
  const topics = ['blocks', ...factTopicNames, ...factTopicNames.map(deadLetterTopic)]
  const eventLog = await openClusterLog(task, { settings, topics })
  const letters = new OpenLetters(eventLog)
  return () =>
    withMigratedTables(readingAddress(settings), async (store) => {
      const chainId = (await deploymentOf(store))?.chainId ?? null
      const now = () => Math.floor(Date.now() / 1000)
      const readOf = (names: readonly string[]) => readBy(task, settings, names)
      return lagOf({ eventLog, store, chainId, now, readOf, letters })
    })
}

/** Offsets up to which the group of dimensions has read the topics. */
function readBy({ log }: TaskContext, settings: LagSettings, topics: readonly string[]) {
  const groups = topics.map((topic) => ({
    groupId: consumerGroup(settings, groupId('dimensions'), topic),
    topic: settings.kafkaTopicPrefix + topic,
  }))
  return groupOffsets({ place: kafkaConnection(settings), log }, groups)
}

/** Commands that the page names, complete with their settings. */
export interface LagCommands {
  /** Publishes messages from a position on. */
  readonly repair: (from: number) => string
  readonly listDeadLetters: string
}

/** The lag for people. */
export function lagText({ blocks, groups, dimensions }: Lag, commands: LagCommands): string {
  const { position, block, time, ageSeconds } = blocks
  const onChain = textTable(
    ['', 'position', 'block', 'time', 'age s', 'messages behind', 'blocks behind'],
    [
      ['published', position, block, moment(time), ageSeconds, null, null],
      ...groups.map((group) => [
        group.group,
        group.position,
        group.block,
        moment(group.time),
        group.ageSeconds,
        group.messagesBehind,
        group.blocksBehind,
      ]),
    ],
  )
  const facts = textTable(
    ['dimensions', 'end', 'read', 'messages behind', 'dead letters'],
    dimensions.topics.map(({ topic, end, read, messagesBehind, deadLetters }) => [
      topic,
      end,
      read,
      messagesBehind,
      deadLetters,
    ]),
  )
  return [onChain, ...warning(blocks, commands), facts, ...hint(dimensions, commands)].join('\n\n')
}

function warning({ position, ignored }: Lag['blocks'], { repair }: LagCommands): string[] {
  const [first] = ignored
  if (first === undefined) return []
  const next = (position ?? 0) + 1
  const waits =
    position === null
      ? `None of the last ${messages(ignored.length)} of topic blocks is accepted`
      : `Topic blocks waits for position ${next}: ${messages(ignored.length)} after ${position} ` +
        `${ignored.length === 1 ? 'was' : 'were'} ignored`
  return [
    `${waits}. The first, at offset ${first.offset}, is ${first.reason}: ${first.detail}.\n` +
      `A running ingestor publishes the missing messages. If none can run: \`${repair(next)}\`\n` +
      `See ${runbooks.stuck}.`,
  ]
}

const messages = (count: number) => `${count} message${count === 1 ? '' : 's'}`

function hint({ topics }: Lag['dimensions'], { listDeadLetters }: LagCommands): string[] {
  if (topics.every(({ deadLetters }) => deadLetters === 0)) return []
  return [`Dead letters: \`${listDeadLetters}\`. See ${runbooks.deadLetters}.`]
}

const moment = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
