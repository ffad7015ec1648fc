/** A topic as it shall be. All have one partition: one order. */
export interface WantedTopic {
  readonly name: string
  /** Only the last message of a key need be kept. */
  readonly isCompacted: boolean
  /** Null: for ever. */
  readonly retentionMs: number | null
  readonly messageBytesMax: number
}

/** A topic as the brokers describe it. */
export interface TopicState {
  readonly name: string
  readonly partitions: number
  readonly replicas: number
  /** Those of `settingNames`, as the brokers write them. */
  readonly settings: Readonly<Record<string, string>>
}

export const settingNames = [
  'cleanup.policy',
  'retention.ms',
  'retention.bytes',
  'max.message.bytes',
  'message.timestamp.type',
  'compression.type',
] as const
type SettingName = (typeof settingNames)[number]

const forEver = '-1'
const brokersTime = 'LogAppendTime'
/** Whatever others publish with, the brokers store it so: kafkajs reads nothing else. */
const readable = ['gzip', 'uncompressed']

/** What a topic is created with. */
export function settingsOf(topic: WantedTopic): Record<SettingName, string> {
  return {
    'cleanup.policy': topic.isCompacted ? 'compact' : 'delete',
    'retention.ms': topic.retentionMs === null ? forEver : `${topic.retentionMs}`,
    'retention.bytes': forEver,
    'max.message.bytes': `${topic.messageBytesMax}`,
    // The brokers refuse what comes from a clock ahead, and delete at once what is from an old one.
    'message.timestamp.type': brokersTime,
    'compression.type': 'gzip',
  }
}

interface Fault {
  readonly setting: SettingName
  readonly because: string
}

/** One sentence for each setting that does not do, with what mends it; none if all is well. */
export function faultsOf(
  wanted: WantedTopic,
  state: TopicState | null,
  broker: string,
): readonly string[] {
  const { name } = wanted
  if (state === null) return [`topic ${name} does not exist: \`foldscan topics create\` makes it`]
  const settings = settingsOf(wanted)
  const sentences = settingFaults(wanted, state).map(({ setting, because }) => {
    const value = settings[setting]
    return (
      `topic ${name} has ${setting}=${state.settings[setting]} and needs ${value}: ${because}; ` +
      `kafka-configs.sh --bootstrap-server ${broker} --alter --entity-type topics ` +
      `--entity-name ${name} --add-config ${setting}=${value}`
    )
  })
  return state.partitions === 1 ? sentences : [partitionsFault(state), ...sentences]
}

const partitionsFault = ({ name, partitions }: TopicState): string =>
  `topic ${name} has ${partitions} partitions and needs 1: one partition keeps the order, and none ` +
  'can be taken away; delete the topic and run `foldscan topics create`, or choose other topics ' +
  'by --kafka-topic-prefix'

function settingFaults(wanted: WantedTopic, { settings }: TopicState): Fault[] {
  const faults: Fault[] = []
  const note = (setting: SettingName, isRight: boolean, because: string) => {
    if (!isRight) faults.push({ setting, because })
  }
  const wants = settingsOf(wanted)
  const policy = settings['cleanup.policy']
  const because = wanted.isCompacted
    ? 'the last message of each key must stay for ever'
    : 'messages would be taken away that have to be read in order'
  note('cleanup.policy', policy === wants['cleanup.policy'], because)
  // Where nothing is deleted, nothing is retained by time or size either.
  if (!wanted.isCompacted) {
    const isLongEnough = keeps(settings['retention.ms'], wants['retention.ms'])
    note('retention.ms', isLongEnough, 'messages would be deleted that have to be read again')
    const isWhole = settings['retention.bytes'] === forEver
    note('retention.bytes', isWhole, 'messages would be deleted before their time')
  }
  const messageBytes = Number(settings['max.message.bytes'])
  const isWide = messageBytes >= wanted.messageBytesMax
  note('max.message.bytes', isWide, 'a great block would be refused')
  const isOfBrokers = settings['message.timestamp.type'] === brokersTime
  note('message.timestamp.type', isOfBrokers, 'a service whose clock is wrong would be refused')
  const isReadable = readable.includes(settings['compression.type'] ?? '')
  note(
    'compression.type',
    isReadable,
    'what others publish with zstd, lz4 or snappy would end who reads',
  )
  return faults
}

/** At least as long as is wanted. */
function keeps(value: string | undefined, wanted: string): boolean {
  if (value === forEver) return true
  return wanted !== forEver && Number(value) >= Number(wanted)
}
