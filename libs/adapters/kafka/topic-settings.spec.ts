import { describe, expect, test } from 'vitest'
import { faultsOf, faultsOfAll, settingsOf, type TopicState } from './topic-settings.ts'

const dayMs = 86_400_000
const blocks = {
  name: 'blocks',
  isCompacted: false,
  retentionMs: null,
  messageBytesMax: 9_000_000,
  replicationFactor: 3,
}
const facts = { ...blocks, name: 'facts', isCompacted: true }
const changes = { ...blocks, name: 'changes', retentionMs: 7 * dayMs }

const stateOf = (
  wanted: typeof blocks | typeof changes,
  settings: Record<string, string> = {},
): TopicState => ({
  name: wanted.name,
  partitions: 1,
  replicas: wanted.replicationFactor,
  settings: { ...settingsOf(wanted), ...settings },
})

describe('a topic', () => {
  test.each([blocks, facts, changes])('is well as it is created: $name', (wanted) => {
    expect(faultsOf(wanted, stateOf(wanted), 'k:1')).toEqual([])
  })

  test('may keep more and take greater messages than it has to', () => {
    const more = { 'retention.ms': `${30 * dayMs}`, 'max.message.bytes': '10000000' }
    expect(faultsOf(changes, stateOf(changes, more), 'k:1')).toEqual([])
    expect(faultsOf(changes, stateOf(changes, { 'retention.ms': '-1' }), 'k:1')).toEqual([])
    expect(faultsOf(facts, stateOf(facts, { 'retention.ms': '1' }), 'k:1')).toEqual([])
    const uncompressed = { 'compression.type': 'uncompressed' }
    expect(faultsOf(facts, stateOf(facts, uncompressed), 'k:1')).toEqual([])
  })

  test('with a wrong setting is reported with its correction', () => {
    expect(faultsOf(blocks, stateOf(blocks, { 'retention.ms': '604800000' }), 'k:1')).toEqual([
      'topic blocks has retention.ms=604800000 and needs -1: messages would be deleted that have ' +
        'to be read again; kafka-configs.sh --bootstrap-server k:1 --alter --entity-type topics ' +
        '--entity-name blocks --add-config retention.ms=-1',
    ])
  })

  test.each<[typeof blocks | typeof changes, Record<string, string>, RegExp]>([
    [blocks, { 'cleanup.policy': 'compact' }, /cleanup.policy=compact and needs delete/],
    [facts, { 'cleanup.policy': 'delete' }, /cleanup.policy=delete and needs compact/],
    [facts, { 'cleanup.policy': 'compact,delete' }, /needs compact/],
    [blocks, { 'retention.bytes': '1000' }, /retention.bytes=1000 and needs -1/],
    [changes, { 'retention.ms': `${dayMs}` }, /retention.ms=86400000 and needs 604800000/],
    [blocks, { 'max.message.bytes': '1048588' }, /a large block would be rejected/],
    [
      facts,
      { 'message.timestamp.type': 'CreateTime' },
      /needs LogAppendTime: messages of a service whose clock/,
    ],
    [facts, { 'compression.type': 'producer' }, /needs gzip: readers would fail/],
    [
      blocks,
      { 'min.insync.replicas': '1' },
      /min.insync.replicas=1 and needs 2: messages would be acknowledged that only one broker has/,
    ],
    [blocks, { 'min.insync.replicas': '4' }, /nothing can be appended while 3 replicas are fewer/],
    [
      blocks,
      { 'unclean.leader.election.enable': 'true' },
      /unclean.leader.election.enable=true and needs false: a broker that lacks acknowledged/,
    ],
  ])('has one sentence for each fault: $0.name $1', (wanted, settings, sentence) => {
    const faults = faultsOf(wanted, stateOf(wanted, settings), 'k:1')
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(sentence)
  })

  test('with two partitions, or none at all, is reported first', () => {
    const [fault] = faultsOf(blocks, { ...stateOf(blocks), partitions: 2 }, 'k:1')
    expect(fault).toMatch(/^topic blocks has 2 partitions and needs 1: .* delete the topic/)
    expect(faultsOf(blocks, null, 'k:1')).toEqual([
      'topic blocks does not exist: `foldscan topics create` makes it',
    ])
  })
})

describe('how many brokers hold the topics', () => {
  const single = { ...blocks, replicationFactor: 1 }

  test.each([
    [1, '1'],
    [2, '2'],
    [3, '2'],
    [5, '2'],
  ])('of %i, so many acknowledge a message: %s', (replicationFactor, inSync) => {
    expect(settingsOf({ ...blocks, replicationFactor })['min.insync.replicas']).toBe(inSync)
  })

  test('is one sentence for all topics, that names the setting', () => {
    const wanted = [blocks, facts, changes]
    const states = wanted.map((topic) => ({
      ...stateOf(topic, { 'min.insync.replicas': '1' }),
      replicas: 1,
    }))
    expect(faultsOfAll(wanted, states, 'k:1')).toEqual([
      '--kafka-replication-factor is 3, but topics have only 1 (blocks, facts, changes): a broker ' +
        'that is lost would take messages with it that were acknowledged; add replicas with ' +
        'kafka-reassign-partitions.sh, or set --kafka-replication-factor 1 to accept that loss',
    ])
  })

  test('may be one if the setting allows it, and may be more than the setting', () => {
    const states = [stateOf(single)]
    expect(faultsOfAll([single], states, 'k:1')).toEqual([])
    const more = [{ ...stateOf(single), replicas: 3 }]
    expect(faultsOfAll([single], more, 'k:1')).toEqual([])
  })

  test('does not matter of a topic that is not there', () => {
    expect(faultsOfAll([blocks], [null], 'k:1')).toHaveLength(1)
  })
})
