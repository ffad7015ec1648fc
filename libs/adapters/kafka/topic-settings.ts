/** Required state of a topic. All have one partition: one order. */
export interface TopicSpec {
  readonly name: string
  /** Only the last message of a key need be kept. */
  readonly isCompacted: boolean
  /** Null: for ever. */
  readonly retentionMs: number | null
  readonly messageBytesMax: number
  /** Brokers that hold it, at least; 1 where losing a disk may lose messages. */
  readonly replicationFactor: number
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
  'min.insync.replicas',
  'unclean.leader.election.enable',
] as const
type SettingName = (typeof settingNames)[number]

const forEver = '-1'
const brokersTime = 'LogAppendTime'
/** Whatever others publish with, the brokers store it so: kafkajs reads nothing else. */
const readable = ['gzip', 'uncompressed']

/** Brokers that have a message before it counts as appended: one of them may then be lost. */
const acknowledgingMax = 2
const inSyncMin = ({ replicationFactor }: TopicSpec): number =>
  Math.min(replicationFactor, acknowledgingMax)

/** What a topic is created with. */
export function settingsOf(topic: TopicSpec): Record<SettingName, string> {
  return {
    'cleanup.policy': topic.isCompacted ? 'compact' : 'delete',
    'retention.ms': topic.retentionMs === null ? forEver : `${topic.retentionMs}`,
    'retention.bytes': forEver,
    'max.message.bytes': `${topic.messageBytesMax}`,
    // The brokers refuse what comes from a clock ahead, and delete at once what is from an old one.
    'message.timestamp.type': brokersTime,
    'compression.type': 'gzip',
    'min.insync.replicas': `${inSyncMin(topic)}`,
    // A replica that lacks messages must not become the leader: they would be gone.
    'unclean.leader.election.enable': 'false',
  }
}

interface Fault {
  readonly setting: SettingName
  readonly because: string
}

/**
 * One sentence for each wrong setting, with its correction; none if all are right.
 * @param states of the topics, in their order
 */
export function faultsOfAll(
  wanted: readonly TopicSpec[],
  states: readonly (TopicState | null)[],
  broker: string,
): readonly string[] {
  return [
    ...replicationFaults(wanted, states),
    ...wanted.flatMap((topic, at) => faultsOf(topic, states[at] ?? null, broker)),
  ]
}

const hasTooFew = ({ replicationFactor }: TopicSpec, state: TopicState | null): boolean =>
  state !== null && state.replicas < replicationFactor

/** One sentence for all topics, so that a single broker is reported once. */
function replicationFaults(
  wanted: readonly TopicSpec[],
  states: readonly (TopicState | null)[],
): string[] {
  const few = wanted.flatMap((topic, at) => {
    const state = states[at] ?? null
    return state !== null && hasTooFew(topic, state) ? [{ topic, state }] : []
  })
  const [first] = few
  if (first === undefined) return []
  const names = few.map(({ topic }) => topic.name).join(', ')
  const held = Math.min(...few.map(({ state }) => state.replicas))
  return [
    `--kafka-replication-factor is ${first.topic.replicationFactor}, but topics have only ${held} ` +
      `(${names}): a broker that is lost would take messages with it that were acknowledged; add ` +
      `replicas with kafka-reassign-partitions.sh, or set --kafka-replication-factor ${held} to ` +
      'accept that loss',
  ]
}

/** The same of one topic; how many brokers hold it is left out. */
export function faultsOf(
  wanted: TopicSpec,
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

function settingFaults(wanted: TopicSpec, state: TopicState): Fault[] {
  const { settings } = state
  const faults: Fault[] = []
  const note = (setting: SettingName, isRight: boolean, because: string) => {
    if (!isRight) faults.push({ setting, because })
  }
  const wants = settingsOf(wanted)
  const policy = settings['cleanup.policy']
  const because = wanted.isCompacted
    ? 'the last message of each key must stay for ever'
    : 'compaction would remove messages that have to be read in order'
  note('cleanup.policy', policy === wants['cleanup.policy'], because)
  // Where nothing is deleted, nothing is retained by time or size either.
  if (!wanted.isCompacted) {
    const isLongEnough = keeps(settings['retention.ms'], wants['retention.ms'])
    note('retention.ms', isLongEnough, 'messages would be deleted that have to be read again')
    const isWhole = settings['retention.bytes'] === forEver
    note('retention.bytes', isWhole, 'messages would be deleted before the retention time')
  }
  const messageBytes = Number(settings['max.message.bytes'])
  const isWide = messageBytes >= wanted.messageBytesMax
  note('max.message.bytes', isWide, 'a large block would be rejected')
  const isOfBrokers = settings['message.timestamp.type'] === brokersTime
  note(
    'message.timestamp.type',
    isOfBrokers,
    'messages of a service whose clock is wrong would be rejected',
  )
  const isReadable = readable.includes(settings['compression.type'] ?? '')
  note(
    'compression.type',
    isReadable,
    'readers would fail on batches that other producers compress with zstd, lz4 or snappy',
  )
  noteSafety(wanted, state, note)
  return faults
}

/** Whether acknowledged messages survive the loss of a broker. */
function noteSafety(
  wanted: TopicSpec,
  state: TopicState,
  note: (setting: SettingName, isRight: boolean, because: string) => void,
): void {
  const { settings, replicas } = state
  const inSync = Number(settings['min.insync.replicas'])
  if (inSync > replicas) {
    const because = `nothing can be appended while ${replicas} replicas are fewer than that`
    note('min.insync.replicas', false, because)
  } else if (!hasTooFew(wanted, state)) {
    const because = 'messages would be acknowledged that only one broker has'
    note('min.insync.replicas', inSync >= inSyncMin(wanted), because)
  }
  const isClean = settings['unclean.leader.election.enable'] === 'false'
  const because = 'a broker that lacks acknowledged messages could become the leader, and lose them'
  note('unclean.leader.election.enable', isClean, because)
}

/** At least as long as is wanted. */
function keeps(value: string | undefined, wanted: string): boolean {
  if (value === forEver) return true
  return wanted !== forEver && Number(value) >= Number(wanted)
}
