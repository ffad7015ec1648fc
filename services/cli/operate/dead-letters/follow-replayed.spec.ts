import { beforeEach, describe, expect, it } from 'vitest'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import { encodeMessage } from '../../../../libs/topics/codec.ts'
import { followReplayed } from './replay-letters.ts'

const topic = 'coin-prices'
let eventLog: EventLog
beforeEach(() => {
  eventLog = memoryEventLog()
})

const die = (offset: number, error = 'not JSON') =>
  eventLog.append(`${topic}.dead-letters`, [
    {
      key: 'k',
      value: encodeMessage({ topic, offset, key: 'k', message: '', reason: 'invalid', error }),
    },
  ])

/** @param read what the group says of itself, one time after the other; the last for ever */
const followed = (read: readonly (number | null)[], { waitMs = 60_000 } = {}) => {
  const said = [...read]
  const replayed = [
    { offset: 0, publishedOffset: 7 },
    { offset: 1, publishedOffset: 8 },
  ]
  return followReplayed(
    { topic, replayed, lettersFrom: 1, waitMs },
    {
      eventLog,
      foldedUpTo: async () => (said.length > 1 ? said.shift() : said[0]) ?? null,
      signal: new AbortController().signal,
    },
  )
}

describe('a replayed letter', () => {
  it('is folded once the group has read beyond it without another dead letter', async () => {
    await die(3)
    expect(await followed([null, 8, 9])).toEqual([
      { offset: 0, publishedOffset: 7, outcome: 'folded', deadOffset: null, error: null },
      { offset: 1, publishedOffset: 8, outcome: 'folded', deadOffset: null, error: null },
    ])
  })

  it('is dead again where a new dead letter names its new offset', async () => {
    await die(3)
    await die(8, 'price: expected a decimal')
    const [first, second] = await followed([9])
    expect(first?.outcome).toBe('folded')
    expect(second).toMatchObject({
      outcome: 'dead',
      deadOffset: 1,
      error: 'price: expected a decimal',
    })
  })

  it('is not waited for any longer once all are dead again', async () => {
    await die(3)
    await die(7)
    await die(8)
    expect((await followed([null])).map(({ outcome }) => outcome)).toEqual(['dead', 'dead'])
  })

  it('is of unknown outcome where the group does not read it in time', async () => {
    expect((await followed([8], { waitMs: 0 })).map(({ outcome }) => outcome)).toEqual([
      'folded',
      'unknown',
    ])
  })
})
