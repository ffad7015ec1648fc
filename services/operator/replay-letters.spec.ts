import { beforeEach, describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import type { DeadLetter } from '../../libs/topics/dead-letters.ts'
import { letterJson, letterLine, lettersOf } from './dead-letters.ts'
import { type Replay, replayLetters } from './replay-letters.ts'

const topic = 'coin-prices'
let log: EventLog
let bad: readonly string[]
beforeEach(() => {
  log = memoryEventLog()
  bad = ['worse']
})

const invalidReason = (_: string, bytes: Uint8Array) =>
  bad.includes(Buffer.from(bytes).toString()) ? 'bad word' : null
const say = (key: string, text: string) => log.append(topic, [{ key, value: Buffer.from(text) }])
const letterOf = (key: string, text: string, offset: number): DeadLetter => ({
  topic,
  offset,
  key,
  message: Buffer.from(text).toString('base64'),
  reason: 'invalid',
  error: 'bad word',
})
const bury = (key: string, text: string, offset: number) =>
  log.append(`${topic}.dead-letters`, [{ key, value: encodeMessage(letterOf(key, text, offset)) }])

/** Heard, found bad and buried, as the group of dimensions does it. */
async function heard(key: string, text: string): Promise<void> {
  const [offset = -1] = await say(key, text)
  await bury(key, text, offset)
}

const replay = (wish: Partial<Replay> = {}) =>
  replayLetters({ topic, offset: null, isForced: false, ...wish }, { log, invalidReason })

const said = async (from: number) =>
  (await log.read(topic, from, { messagesMax: 10_000, bytesMax: 1_000_000 })).map(
    ({ key, value }) => `${key} ${Buffer.from(value).toString()}`,
  )

describe('replaying dead letters', () => {
  it('says the bytes and the key again, in the order in which they came', async () => {
    await heard('a', 'one')
    await heard('b', 'two\u0000\n{')
    expect(await replay()).toEqual({
      replayed: [
        { at: 0, offset: 2 },
        { at: 1, offset: 3 },
      ],
      refused: [],
    })
    expect(await said(2)).toEqual(['a one', 'b two\u0000\n{'])
  })

  it('says one letter only, if it is told which', async () => {
    await heard('a', 'one')
    await heard('b', 'two')
    expect((await replay({ offset: 1 })).replayed).toEqual([{ at: 1, offset: 2 }])
    expect(await said(2)).toEqual(['b two'])
  })

  it('refuses what is still invalid, with the reason', async () => {
    await heard('a', 'worse')
    await heard('b', 'two')
    const { replayed, refused } = await replay()
    expect(replayed).toHaveLength(1)
    expect(refused).toEqual([{ at: 0, because: 'it is still invalid: bad word' }])
  })

  it('refuses to put an old fact in the place of a newer one of its key', async () => {
    await heard('a', 'one')
    await heard('b', 'two')
    await say('a', 'newer')
    await say('b', 'worse')
    const { replayed, refused } = await replay()
    expect(replayed).toEqual([{ at: 1, offset: 4 }])
    expect(refused).toEqual([{ at: 0, because: 'the topic has a newer message of key a at 2' }])
  })

  it('says nothing twice, however often it is asked, and no letter that is there twice', async () => {
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

  it('says all of it if it is forced', async () => {
    await heard('a', 'worse')
    await say('a', 'newer')
    expect((await replay({ isForced: true })).refused).toEqual([])
    expect(await said(2)).toEqual(['a worse'])
  })

  it('passes what is no letter', async () => {
    await log.append(`${topic}.dead-letters`, [{ key: 'x', value: Buffer.from('{}') }])
    await heard('a', 'one')
    const { replayed, refused } = await replay()
    expect(replayed).toEqual([{ at: 1, offset: 1 }])
    expect(refused).toMatchObject([{ at: 0, because: expect.stringContaining('no letter') }])
  })

  it('appends a bounded number at a time, and refuses more than it may hold', async () => {
    for (let at = 0; at < 250; at++) await heard(`k${at}`, 'one')
    const append = log.append.bind(log)
    const runs: number[] = []
    log.append = (to, messages) => {
      runs.push(messages.length)
      return append(to, messages)
    }
    expect((await replay()).replayed).toHaveLength(250)
    expect(runs).toEqual([100, 100, 50])
    const more = Array.from({ length: 9_751 }, (_, i) => letterOf('k', 'one', 250 + i))
    await log.append(
      `${topic}.dead-letters`,
      more.map((letter) => ({ key: 'k', value: encodeMessage(letter) })),
    )
    await expect(replay()).rejects.toThrow('nothing was replayed')
  })
})

it('a list names each letter, where it came from and why it is there', async () => {
  await heard('a', 'worse')
  await heard('\u001b[2Jb', 'worse')
  const lines: string[] = []
  const printed: unknown[] = []
  for await (const letter of lettersOf(log, topic)) {
    lines.push(letterLine(topic, letter))
    printed.push(letterJson(topic, letter))
  }
  expect(lines).toEqual([
    'coin-prices  letter 0  message 0  key a  invalid: bad word',
    'coin-prices  letter 1  message 1  key ·[2Jb  invalid: bad word',
  ])
  expect(printed[0]).toMatchObject({ letter: 0, message: 0, key: 'a', bytes: 5 })
})
