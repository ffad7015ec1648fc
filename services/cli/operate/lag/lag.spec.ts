import { beforeEach, describe, expect, it } from 'vitest'
import { position } from '../../../../libs/chain/position.ts'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import type { Store } from '../../../../libs/ports/store.ts'
import { memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import { RowSink } from '../../../../libs/tables/declare/row-binary.ts'
import type { Row } from '../../../../libs/tables/declare/table.ts'
import { progress, progressOfTopic } from '../../../../libs/tables/tables/progress.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import { factVersion } from '../../../../libs/topics/facts/fact-version.ts'
import { splitMessage } from '../../../../libs/topics/parts.ts'
import { factTopicNames } from '../../../../libs/topics/topics.ts'
import { applied, type BlockWords, hashOf, reverted } from '../../../projector/testing/messages.ts'
import { acknowledgeLetters } from '../dead-letters/settled-letters.ts'
import { lagText } from '../lag.ts'
import { lagOf, OpenLetters } from './lag.ts'

const block = (number: number, branch = 'a'): BlockWords => ({
  number,
  hash: hashOf(`${branch}${number}`),
  parentHash: hashOf(`${number === 21 ? 'a' : branch}${number - 1}`),
  senders: [1],
})

let eventLog: EventLog
beforeEach(() => {
  eventLog = memoryEventLog()
})

const hear = (...values: readonly (Uint8Array | string)[]) =>
  eventLog.append(
    'blocks',
    values.map((value) => ({ key: '1', value: Buffer.from(value) })),
  )

/** Blocks 1 .. `count`, each with the sequence of its number. */
const chain = (count: number) =>
  hear(...Array.from({ length: count }, (_, i) => encodeMessage(applied(i + 1, block(i + 1)))))

type Standing = Row<typeof progress>
const standing = (group: string, at: number, blockNumber: number | null): Standing => ({
  group,
  blockNumber,
  blockHash: blockNumber === null ? null : hashOf(`a${blockNumber}`),
  timestamp: blockNumber === null ? null : 1_700_000_000,
  knownFrom: 0,
  logHash: null,
  position: position(at),
  isDeleted: 0,
})

function storeOf(rows: readonly Standing[]): Store {
  const sink = new RowSink()
  for (const row of rows) progress.encode(sink, row)
  return {
    insert: async () => {},
    execute: async () => {},
    ping: async () => {},
    query: async () => Buffer.from(sink.bytes()),
    close: async () => {},
  }
}

const lag = (rows: readonly Standing[] = [], read: readonly (number | null)[] = []) =>
  lagOf({
    eventLog,
    store: storeOf(rows),
    chainId: 1,
    readOf: async () => read,
    now: () => 1_700_000_100,
  })

const commands = {
  repair: (from: number) => `repair from ${from}`,
  listDeadLetters: 'list letters',
}

describe('the published end', () => {
  it('is the last message that counts, whatever strangers wrote after it', async () => {
    await chain(60)
    await hear('nonsense', encodeMessage(applied(999, block(61))))
    const { blocks } = await lag()
    expect(blocks).toMatchObject({ end: 62, position: 60, block: 60 })
    expect(blocks.ignored).toMatchObject([
      { offset: 60, reason: 'invalid' },
      { offset: 61, reason: 'ahead' },
    ])
  })

  it('is not of a stray message before it, nor of a longer run of another chain', async () => {
    await hear(encodeMessage(applied(999, block(50))))
    await chain(20)
    const foreign = Array.from({ length: 25 }, (_, i) => applied(500 + i, block(500 + i)))
    await hear(...foreign.map((one) => encodeMessage({ ...one, chainId: 99 })))
    const { blocks } = await lag()
    expect(blocks).toMatchObject({ position: 20, block: 20 })
    expect(blocks.ignored).toHaveLength(25)
  })

  it('does not count a message of the next sequence that does not follow', async () => {
    await chain(20)
    await hear(encodeMessage(applied(21, block(22))))
    const { blocks } = await lag()
    expect(blocks).toMatchObject({ position: 20, block: 20 })
    expect(blocks.ignored).toMatchObject([{ offset: 20, reason: 'invalid' }])
  })

  it('is beyond what did not count, once the message is there', async () => {
    await chain(20)
    await hear('nonsense', encodeMessage(applied(21, block(21))))
    expect((await lag()).blocks).toMatchObject({ position: 21, ignored: [] })
  })

  it('follows forks', async () => {
    await chain(22)
    await hear(
      ...[reverted(23, block(22)), reverted(24, block(21)), applied(25, block(21, 'b'))].map(
        (one) => encodeMessage(one),
      ),
    )
    expect((await lag()).blocks).toMatchObject({ position: 25, block: 21, ignored: [] })
  })

  it('is the last part of a great block', async () => {
    await chain(3)
    await hear(...splitMessage(encodeMessage(applied(4, block(4))), 600))
    expect(await eventLog.end('blocks')).toBeGreaterThan(4)
    expect((await lag()).blocks).toMatchObject({ position: 4, block: 4, ignored: [] })
  })

  it('ignores what an ingestor that came later wrote', async () => {
    await chain(20)
    const [rival, onRival] = [block(20, 'b'), block(21, 'b')]
    const late = { ...onRival, parentHash: rival.hash }
    await hear(encodeMessage(applied(20, rival)), encodeMessage(applied(21, late)))
    const found = await lag([standing('ledger', 20, 20), standing('state', 20, 20)])
    expect(found.blocks.ignored).toEqual([])
  })

  it('of an empty log, and of one full of nonsense, is not known', async () => {
    expect((await lag()).blocks).toMatchObject({ end: 0, position: null, ignored: [] })
    await hear('nonsense')
    expect((await lag()).blocks).toMatchObject({ end: 1, position: null })
    expect(lagText(await lag(), commands)).toContain('The first, at offset 0, is invalid')
  })
})

describe('lag', () => {
  it('reports for each group how far it is behind, and how old its head is', async () => {
    await chain(20)
    const { groups } = await lag([standing('ledger', 20, 20), standing('state', 15, 15)])
    expect(groups).toEqual([
      {
        group: 'ledger',
        position: 20,
        block: 20,
        time: 1_700_000_000,
        ageSeconds: 100,
        messagesBehind: 0,
        blocksBehind: 0,
      },
      expect.objectContaining({ group: 'state', position: 15, messagesBehind: 5, blocksBehind: 5 }),
    ])
  })

  it('reports what is known of a group that has not begun', async () => {
    await chain(3)
    const { groups } = await lag()
    const unknown = { block: null, time: null, ageSeconds: null, blocksBehind: null }
    expect(groups[0]).toEqual({ group: 'ledger', position: 0, messagesBehind: 3, ...unknown })
  })

  it('reports how many facts of each topic are not read, and in total not folded', async () => {
    const fact = { key: 'k', value: Buffer.from('{}') }
    await eventLog.append('coin-prices', [fact, fact, fact])
    await eventLog.append('token-facts', [fact])
    const read = factTopicNames.map((topic) => (topic === 'coin-prices' ? 1 : null))
    const prices = factVersion({ epoch: 1, offset: 2 })
    const rows = [standing(progressOfTopic('coin-prices'), prices, null)]
    const { dimensions } = await lag(rows, read)
    expect(dimensions).toMatchObject({ written: 2, messagesBehind: 2 })
    const [ofPrices, tokens] = ['coin-prices', 'token-facts'].map((name) =>
      dimensions.topics.find(({ topic }) => topic === name),
    )
    expect(ofPrices).toMatchObject({ end: 3, read: 1, messagesBehind: 2 })
    expect(tokens).toMatchObject({ end: 1, read: null, messagesBehind: null })
  })

  it('names the runbook if the log waits', async () => {
    await chain(20)
    await hear('nonsense')
    const page = lagText(await lag([standing('ledger', 20, 20)]), commands)
    expect(page).toMatch(/^ledger +20 +20 +2023-11-14T22:13:20Z +100 +0 +0$/m)
    expect(page).toContain('Topic blocks waits for position 21: 1 message after 20 was ignored.')
    expect(page).toContain('at offset 20, is invalid: not JSON')
    expect(page).toContain('`repair from 21`')
  })

  it('counts the dead letters of each topic, and prints the command that lists them', async () => {
    const letter = { key: 'k', value: Buffer.from('{}') }
    expect(lagText(await lag(), commands)).not.toContain('list letters')
    await eventLog.append('coin-prices.dead-letters', [letter, letter])
    const found = await lag()
    const counts = found.dimensions.topics.map(({ topic, deadLetters }) => [topic, deadLetters])
    expect(Object.fromEntries(counts)).toMatchObject({ 'coin-prices': 2, 'token-facts': 0 })
    const page = lagText(found, commands)
    expect(page).toMatch(/^coin-prices +0 +- +- +2$/m)
    expect(page).toContain('Dead letters: `list letters`')
  })

  it('counts no dead letter that is acknowledged, at each of several looks', async () => {
    const letter = { key: 'k', value: Buffer.from('{}') }
    const letters = new OpenLetters(eventLog)
    const open = () => letters.count('coin-prices')
    expect(await open()).toBe(0)
    await eventLog.append('coin-prices.dead-letters', [letter, letter, letter])
    expect(await open()).toBe(3)
    await acknowledgeLetters(eventLog, { topic: 'coin-prices', offset: 1, now: 1 })
    expect(await open()).toBe(2)
    await acknowledgeLetters(eventLog, { topic: 'coin-prices', offset: null, now: 2 })
    expect(await open()).toBe(0)
    expect(await new OpenLetters(eventLog).count('coin-prices')).toBe(0)
    await eventLog.append('coin-prices.dead-letters', [letter])
    expect(await open()).toBe(1)
    const counts = (await lag()).dimensions.topics.map((at) => [at.topic, at.deadLetters])
    expect(Object.fromEntries(counts)).toMatchObject({ 'coin-prices': 1, 'token-facts': 0 })
  })
})
