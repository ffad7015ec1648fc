import { reachKafka } from '../../../libs/adapters/kafka/reach-kafka.ts'
import { type TopicAdmin, topicAdmin } from '../../../libs/adapters/kafka/topic-admin.ts'
import type { TopicState } from '../../../libs/adapters/kafka/topic-settings.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { jsonSchemaOf } from '../../../libs/topics/json-schema.ts'
import { topics } from '../../../libs/topics/topics.ts'
import { columnsOfText } from '../../operator/columns-of-text.ts'
import { Refusal } from '../refusal.ts'
import { kafkaPlace } from '../serve/kafka-place.ts'
import { wantedTopics } from '../wanted-topics.ts'
import { logOfCluster } from './log-of-cluster.ts'
import { type Desk, operate, print } from './operate.ts'

type TopicsSettings = SettingsOf<'topics'>

/** `foldscan topics create | check | describe | schema NAME` */
export function operateTopics(settings: TopicsSettings, words: readonly string[]): Promise<void> {
  const [action, name] = words
  if (name !== undefined && action !== 'schema') {
    throw new Refusal(`\`foldscan topics ${action}\` is of all topics: leave out '${name}'.`)
  }
  switch (action) {
    case 'create':
      return withAdmin(settings, (admin) => create(admin, settings))
    case 'check':
      return withAdmin(settings, (admin) => check(admin, settings))
    case 'schema':
      return print(JSON.stringify(jsonSchemaOf(topicNamed(name)), null, 2))
    default:
      return withAdmin(settings, (admin, desk) => describe(admin, desk, settings))
  }
}

function topicNamed(name: string | undefined) {
  const topic = topics.find((each) => each.name === name)
  if (topic !== undefined) return topic
  const names = topics.map((each) => each.name).join(', ')
  const why = name === undefined ? 'Say whose schema' : `There is no topic ${name}`
  throw new Refusal(`${why}: one of ${names}.`)
}

const withAdmin = (
  settings: TopicsSettings,
  work: (admin: TopicAdmin, desk: Desk) => Promise<void>,
): Promise<void> =>
  operate(settings, async (desk) => {
    const place = kafkaPlace(settings)
    await reachKafka({ place, signals: desk.log })
    const admin = await topicAdmin({ place, signals: desk.log })
    desk.parts.add({ name: 'admin', stop: () => admin.close() })
    await work(admin, desk)
  })

async function create(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  const made = await admin.create(wantedTopics(settings.kafkaTopicPrefix))
  if (settings.json) await print(JSON.stringify({ created: made }))
  else await print(made.length === 0 ? 'all topics were there' : `created ${made.join(', ')}`)
  await refuseFaults(admin, settings)
}

async function check(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  await refuseFaults(admin, settings)
  if (settings.json) await print(JSON.stringify({ faults: [] }))
  else await print(`all ${topics.length} topics are as they have to be`)
}

/** @throws Refusal with a line for each setting that does not do, so that the exit code tells */
async function refuseFaults(admin: TopicAdmin, settings: TopicsSettings): Promise<void> {
  const faults = await admin.faults(wantedTopics(settings.kafkaTopicPrefix))
  if (faults.length === 0) return
  if (settings.json) await print(JSON.stringify({ faults }))
  throw new Refusal(faults.map((fault) => `${capital(fault)}.`).join('\n'))
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function describe(admin: TopicAdmin, desk: Desk, settings: TopicsSettings): Promise<void> {
  const prefix = settings.kafkaTopicPrefix
  const states = await admin.describe(topics.map(({ name }) => prefix + name))
  const log = await logOfCluster(desk, { settings, topics: [] })
  const described = await Promise.all(
    topics.map(async ({ name, key }, at) => {
      const state = states[at]
      if (!state) return { name: prefix + name, key, state: null, begin: null, end: null }
      const [begin, end] = await Promise.all([log.begin(name), log.end(name)])
      return { name: state.name, key, state, begin, end }
    }),
  )
  if (settings.json) return print(JSON.stringify(described))
  const headings = ['topic', 'begin', 'end', 'partitions', 'replicas', 'settings']
  const rows = described.map(({ name, begin, end, state }) =>
    state
      ? [name, begin, end, state.partitions, state.replicas, settingsText(state)]
      : [name, null, null, null, null, 'is not there'],
  )
  return print(columnsOfText(headings, rows))
}

const settingsText = ({ settings }: TopicState): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
