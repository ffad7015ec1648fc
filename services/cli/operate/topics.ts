import { z } from 'zod'
import { checkKafka } from '../../../libs/adapters/kafka/check-kafka.ts'
import { type TopicAdmin, topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import type { TopicState } from '../../../libs/adapters/kafka/topic-settings.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import {
  addressText,
  hashText,
  hexText,
  selectorText,
  shallowJson,
} from '../../../libs/topics/quantities.ts'
import { type Topic, topics } from '../../../libs/topics/topics.ts'
import type { Run } from '../command.ts'
import { kafkaConnection, topicSpecs } from '../serve/servers/open-kafka.ts'
import { openClusterLog, print, runTask, type TaskContext, textTable } from './run-task.ts'

type TopicsSettings = SettingsOf<'topics create' | 'topics check' | 'topics describe'>

/** `foldscan topics create` */
export const topicsCreate: Run<'topics create'> = (settings, { log }) =>
  withAdmin(settings, log, (admin) => create(admin, settings))

/** `foldscan topics check` */
export const topicsCheck: Run<'topics check'> = (settings, { log }) =>
  withAdmin(settings, log, (admin) => check(admin, settings))

/** `foldscan topics describe` */
export const topicsDescribe: Run<'topics describe'> = (settings, { log }) =>
  withAdmin(settings, log, (admin, task) => describe(admin, task, settings))

/** `foldscan topics schema TOPIC` */
export const topicsSchema: Run<'topics schema'> = async (_, { words: [name] }) => {
  const topic = topics.find((each) => each.name === name)
  if (topic === undefined) {
    const names = topics.map((each) => each.name).join(', ')
    throw new StartupError(`There is no topic ${name}: it is one of ${names}.`)
  }
  await print(JSON.stringify(jsonSchemaOf(topic), null, 2))
  return undefined
}

const wantedBy = ({ kafkaTopicPrefix: prefix, kafkaReplicationFactor }: TopicsSettings) =>
  topicSpecs({ prefix, replicationFactor: kafkaReplicationFactor })

const withAdmin = (
  settings: TopicsSettings,
  log: Log,
  work: (admin: TopicAdmin, task: TaskContext) => Promise<void>,
): Promise<number> =>
  runTask(log, async (task) => {
    const place = kafkaConnection(settings)
    await checkKafka({ place, log })
    const admin = await topicAdmin({ place, log })
    task.components.add({ name: 'admin', stop: () => admin.close() })
    await work(admin, task)
    return 0
  })

async function create(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  const made = await admin.create(wantedBy(settings))
  if (settings.json) await print(JSON.stringify({ created: made }))
  else
    await print(
      made.length === 0 ? 'nothing to create: all topics exist' : `created ${made.join(', ')}`,
    )
  await refuseFaults(admin, settings)
}

async function check(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  await refuseFaults(admin, settings)
  if (settings.json) await print(JSON.stringify({ faults: [] }))
  else await print(`all ${topics.length} topics have the required settings`)
}

/** @throws StartupError with a line for each setting that is wrong: the exit code is then 1 */
async function refuseFaults(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  const faults = await admin.faults(wantedBy(settings))
  if (faults.length === 0) return
  if (settings.json) await print(JSON.stringify({ faults }))
  throw new StartupError(faults.map((fault) => `${capital(fault)}.`).join('\n'))
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function describe(
  admin: TopicAdmin,
  task: TaskContext,
  settings: TopicsSettings,
): Promise<void> {
  const prefix = settings.kafkaTopicPrefix
  const states = await admin.describe(topics.map(({ name }) => prefix + name))
  const eventLog = await openClusterLog(task, { settings, topics: [] })
  const described = await Promise.all(
    topics.map(async ({ name, key }, at) => {
      const state = states[at]
      if (!state) return { name: prefix + name, key, state: null, begin: null, end: null }
      const [begin, end] = await Promise.all([eventLog.begin(name), eventLog.end(name)])
      return { name: state.name, key, state, begin, end }
    }),
  )
  if (settings.json) return print(JSON.stringify(described))
  const headings = ['topic', 'begin', 'end', 'partitions', 'replicas', 'settings']
  const rows = described.map(({ name, begin, end, state }) =>
    state
      ? [name, begin, end, state.partitions, state.replicas, settingsText(state)]
      : [name, null, null, null, null, 'does not exist'],
  )
  return print(textTable(headings, rows))
}

const settingsText = ({ settings }: TopicState): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

type JsonSchema = z.core.JSONSchema.BaseSchema

/** What our own checks mean, in words that JSON Schema has. */
const ownForms = new Map<unknown, JsonSchema>([
  [addressText, { type: 'string', pattern: '^0x[0-9a-f]{40}$' }],
  [hashText, { type: 'string', pattern: '^0x[0-9a-f]{64}$' }],
  [hexText, { type: 'string', pattern: '^0x(?:[0-9a-f]{2})*$' }],
  [selectorText, { type: 'string', pattern: '^0x(?:[0-9a-f]{8}|[0-9a-f]{64})$' }],
  [shallowJson, { description: 'any JSON of at most 64 levels' }],
])

/**
 * A topic's message as JSON Schema (draft 2020-12), for those who publish it by a pipeline of
 * their own. What relates fields to each other (ascending indexes, bounds of products) and amounts
 * above 2^256-1 only the program itself refuses.
 */
export function jsonSchemaOf({ name, key, schema }: Topic): JsonSchema {
  const printed = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, ownForms.get(zodSchema))
    },
  })
  const description = `A message of topic ${name}: JSON as UTF-8. The key is ${key}.`
  return { title: name, description, ...printed }
}
