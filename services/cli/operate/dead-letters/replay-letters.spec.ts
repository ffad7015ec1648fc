import { beforeEach, describe, expect, it } from 'vitest'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import type { DeadLetter } from '../../../../libs/topics/topics.ts'
import { deadLetterJson, deadLetterText, readDeadLetters } from './read-dead-letters.ts'
import { type ReplayOptions, replayLetters } from './replay-letters.ts'

const topic = 'coin-prices'
let eventLog: EventLog
let bad: readonly string[]
beforeEach(() => {
  eventLog = memoryEventLog()
  bad = ['worse']
})

const invalidReason = (_: string, bytes: Uint8Array) =>
  bad.includes(Buffer.from(bytes).toString()) ? 'bad word' : null
const say = (key: string, text: string) =>
  eventLog.append(topic, [{ key, value: Buffer.from(text) }])
const letterOf = (key: string, text: string, offset: number): DeadLetter => ({
  topic,
  offset,
  key,
  time: 1_700_000_000_123,
  headers: { source: 'feed' },
  message: Buffer.from(text).toString('base64'),
  reason: 'invalid',
  error: 'bad word',
})
const bury = (key: string, text: string, offset: number) =>
  eventLog.append(`${topic}.dead-letters`, [
    { key, value: encodeMessage(letterOf(key, text, offset)) },
  ])

/** Heard, found bad and buried, as the group of dimensions does it. */
async function heard(key: string, text: string): Promise<void> {
  const [offset = -1] = await say(key, text)
  await bury(key, text, offset)
}

const replay = (options: Partial<ReplayOptions> = {}) =>
  replayLetters({ topic, offset: null, isForced: false, ...options }, { eventLog, invalidReason })

const said = async (from: number) =>
  (await eventLog.read(topic, from, { messagesMax: 10_000, bytesMax: 1_000_000 })).map(
    ({ key, value }) => `${key} ${Buffer.from(value).toString()}`,
  )

describe('replaying dead letters', () => {
  it('publishes the bytes and the key again, in their order', async () => {
    await heard('a', 'one')
    await heard('b', 'two\u0000\n{')
    expect(await replay()).toEqual({
      replayed: [
        { offset: 0, publishedOffset: 2 },
        { offset: 1, publishedOffset: 3 },
      ],
      refused: [],
    })
    expect(await said(2)).toEqual(['a one', 'b two\u0000\n{'])
    const [message] = await eventLog.read(topic, 2, { messagesMax: 1, bytesMax: 1 })
    expect(message?.headers).toEqual({ source: 'feed' })
  })

  it('publishes one letter only, if its offset is given', async () => {
    await heard('a', 'one')
    await heard('b', 'two')
    expect((await replay({ offset: 1 })).replayed).toEqual([{ offset: 1, publishedOffset: 2 }])
    expect(await said(2)).toEqual(['b two'])
  })

  it('refuses what is still invalid, with the reason', async () => {
    await heard('a', 'worse')
    await heard('b', 'two')
    const { replayed, refused } = await replay()
    expect(replayed).toHaveLength(1)
    expect(refused).toEqual([{ offset: 0, because: 'it is still invalid: bad word' }])
  })

  it('refuses to put an old fact in the place of a newer one of its key', async () => {
    await heard('a', 'one')
    await heard('b', 'two')
    await say('a', 'newer')
    await say('b', 'worse')
    const { replayed, refused } = await replay()
    expect(replayed).toEqual([{ offset: 1, publishedOffset: 4 }])
    expect(refused).toEqual([
      { offset: 0, because: 'the topic has a newer message of key a at offset 2' },
    ])
  })

  it('publishes nothing twice, however often it runs, nor a letter that is stored twice', async () => {
    await heard('a', 'one')
    await bury('a', 'one', 0)
    await replay()
    expect((await replay()).replayed).toEqual([])
    expect(await said(1)).toEqual(['a one'])
  })

  it('lets the later of two letters of one key win', async () => {
    await heard('a', 'one')
    await heard('a', 'two')
    await replay()
    expect(await said(2)).toEqual(['a one', 'a two'])
  })

  it('publishes everything if it is forced', async () => {
    await heard('a', 'worse')
    await say('a', 'newer')
    expect((await replay({ isForced: true })).refused).toEqual([])
    expect(await said(2)).toEqual(['a worse'])
  })

  it('passes what is no letter', async () => {
    await eventLog.append(`${topic}.dead-letters`, [{ key: 'x', value: Buffer.from('{}') }])
    await heard('a', 'one')
    const { replayed, refused } = await replay()
    expect(replayed).toEqual([{ offset: 1, publishedOffset: 1 }])
    expect(refused).toMatchObject([
      { offset: 0, because: expect.stringContaining('not a dead letter') },
    ])
  })

  it('appends a bounded number at a time, and refuses more than it may hold', async () => {
    for (let at = 0; at < 250; at++) await heard(`k${at}`, 'one')
    const append = eventLog.append.bind(eventLog)
    const runs: number[] = []
    eventLog.append = (to, messages) => {
      runs.push(messages.length)
      return append(to, messages)
    }
    expect((await replay()).replayed).toHaveLength(250)
    expect(runs).toEqual([100, 100, 50])
    const more = Array.from({ length: 9_751 }, (_, i) => letterOf('k', 'one', 250 + i))
    await eventLog.append(
      `${topic}.dead-letters`,
      more.map((letter) => ({ key: 'k', value: encodeMessage(letter) })),
    )
    await expect(replay()).rejects.toThrow('nothing was replayed')
  })
})

describe('a list of dead letters', () => {
  async function listed() {
    const texts: string[] = []
    const printed: unknown[] = []
    for await (const letter of readDeadLetters(eventLog, topic)) {
      texts.push(deadLetterText(topic, letter))
      printed.push(deadLetterJson(topic, letter))
    }
    return { texts, printed }
  }

  it('shows offset, reason, key, time, headers and value of each', async () => {
    await heard('a', '{"price": "x"}')
    const { texts, printed } = await listed()
    expect(texts[0]?.split('\n')).toEqual([
      'coin-prices dead letter at offset 0',
      '  reason   invalid: bad word',
      '  message  offset 0, key a, published 2023-11-14T22:13:20.123Z',
      '  headers  source=feed',
      '  value    {"price": "x"} (14 bytes)',
    ])
    expect(printed[0]).toEqual({
      topic,
      offset: 0,
      time: null,
      reason: 'invalid',
      error: 'bad word',
      message: {
        offset: 0,
        key: 'a',
        time: '2023-11-14T22:13:20.123Z',
        headers: { source: 'feed' },
        value: '{"price": "x"}',
      },
    })
  })

  it('escapes what would control a terminal, and shows a bounded length of it', async () => {
    await heard('\u001b[2Jb\u202e', `line\nnext${'x'.repeat(2_000)}`)
    const { texts, printed } = await listed()
    expect(texts[0]).toContain('key \\u{1b}[2Jb\\u{202e},')
    expect(texts[0]).toMatch(/value {4}line\\u\{a\}nextx+… \(2009 bytes\)$/)
    expect(texts[0]?.length).toBeLessThan(1_300)
    expect(JSON.stringify(printed[0])).toContain('x'.repeat(2_000))
  })

  it('shows bytes that are no text in base64', async () => {
    await eventLog.append(`${topic}.dead-letters`, [
      { key: 'a', value: encodeMessage({ ...letterOf('a', '', 3), message: '//79' }) },
    ])
    const { texts, printed } = await listed()
    expect(texts[0]).toContain('value    base64 //79 (3 bytes)')
    expect(printed[0]).toMatchObject({ message: { valueBase64: '//79' } })
  })

  it('names what is not a dead letter, and shows those of older programs', async () => {
    const { time: _, headers: __, ...older } = letterOf('a', 'one', 5)
    await eventLog.append(`${topic}.dead-letters`, [
      { key: 'x', value: Buffer.from('{}') },
      { key: 'a', value: encodeMessage(older) },
    ])
    const { texts, printed } = await listed()
    expect(texts[0]).toMatch(/offset 0\n {2}not a dead letter: /)
    expect(printed[0]).toMatchObject({ offset: 0, unreadable: expect.any(String) })
    expect(texts[1]).toContain('message  offset 5, key a\n')
  })
})
