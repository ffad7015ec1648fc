import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventLog, LogMessage, StoredMessage } from '../../libs/ports/event-log.ts'
import { Fenced } from '../../libs/ports/state-store.ts'

export const all = { messagesMax: 1_000, bytesMax: 1_000_000 }
export const textMessage = (text: string): LogMessage => ({ key: 'k', value: Buffer.from(text) })
export const textsOf = (messages: readonly StoredMessage[]) =>
  messages.map(({ value }) => Buffer.from(value).toString())

export interface LogUnderTest {
  readonly eventLog: EventLog
  /** Closes it, and takes away what it wrote. */
  end(): Promise<void>
  /** The same once more; a log on servers has nobody who opened it last. */
  readonly openAgain?: () => EventLog
}

/** What every event log owes to those who use it. `open` makes an empty one with these topics. */
export function eventLogLaws(
  name: string,
  open: (topics: readonly string[]) => Promise<LogUnderTest>,
) {
  describe(`an event log ${name}`, () => {
    let eventLog: EventLog
    let under: LogUnderTest

    beforeEach(async () => {
      under = await open(['a', 'block', 'blocks', 'blocks.dead-letters'])
      eventLog = under.eventLog
    })
    afterEach(() => under.end())

    test('gives offsets from 0 on, without holes', async () => {
      expect(await eventLog.end('a')).toBe(0)
      expect(await eventLog.append('a', [textMessage('1'), textMessage('2')])).toEqual([0, 1])
      expect(await eventLog.append('a', [textMessage('3')])).toEqual([2])
      expect(await eventLog.begin('a')).toBe(0)
      expect(await eventLog.end('a')).toBe(3)
      expect((await eventLog.read('a', 0, all)).map(({ offset }) => offset)).toEqual([0, 1, 2])
    })

    test('keeps the key and the bytes of a message', async () => {
      const value = Buffer.from([0, 255, 10, 0])
      await eventLog.append('a', [{ key: 'ключ', value }])
      const [message] = await eventLog.read('a', 0, all)
      expect(message?.key).toBe('ключ')
      expect(Buffer.from(message?.value ?? []).equals(value)).toBe(true)
    })

    test('does not mix topics, even if one name begins with the other', async () => {
      await eventLog.append('blocks', [textMessage('block')])
      await eventLog.append('blocks.dead-letters', [textMessage('letter')])
      await eventLog.append('block', [textMessage('other')])
      expect(textsOf(await eventLog.read('blocks', 0, all))).toEqual(['block'])
      expect(textsOf(await eventLog.read('blocks.dead-letters', 0, all))).toEqual(['letter'])
      expect(await eventLog.end('block')).toBe(1)
    })

    test('reads from an offset, at most as many messages as asked for', async () => {
      await eventLog.append('a', ['0', '1', '2', '3'].map(textMessage))
      const limit = { messagesMax: 2, bytesMax: 1000 }
      expect(textsOf(await eventLog.read('a', 1, limit))).toEqual(['1', '2'])
      expect(await eventLog.read('a', 4, all)).toEqual([])
    })

    test('stops at the bound of bytes, but never before the first message', async () => {
      await eventLog.append('a', ['x'.repeat(100), 'y'.repeat(100), 'z'].map(textMessage))
      expect(await eventLog.read('a', 0, { messagesMax: 10, bytesMax: 1 })).toHaveLength(1)
      expect(await eventLog.read('a', 0, { messagesMax: 10, bytesMax: 150 })).toHaveLength(2)
    })

    test('keeps what it gave when more is appended', async () => {
      await eventLog.append('a', ['first'.repeat(500), 'second'.repeat(500)].map(textMessage))
      const early = await eventLog.read('a', 0, all)
      for (let at = 0; at < 50; at++) await eventLog.append('a', [textMessage('late'.repeat(500))])
      await eventLog.read('a', 0, all)
      expect(textsOf(early)).toEqual(['first'.repeat(500), 'second'.repeat(500)])
    })

    test('gives appends that race each a place of their own', async () => {
      const firsts = await Promise.all(
        ['0', '1', '2'].map((text) => eventLog.append('a', [textMessage(text)])),
      )
      expect(firsts.flat().sort()).toEqual([0, 1, 2])
      expect(await eventLog.end('a')).toBe(3)
    })

    test('reports an offset beyond its end as lost, to a read and to a wait', async () => {
      await eventLog.append('a', [textMessage('1')])
      const beyond = eventLog.read('a', 3, all)
      await expect(beyond).rejects.toThrow(/topic \S*a holds offsets 0 to 1, and 3 is asked for/)
      await expect(beyond).rejects.toMatchObject({ range: { begin: 0, end: 1 } })
      await eventLog.waitBeyond('a', 3, new AbortController().signal)
    })

    test('that lies in a file is appended to by who opened it last, and read by all', async () => {
      if (under.openAgain === undefined) return
      await eventLog.append('a', [textMessage('1')])
      const later = under.openAgain()
      await expect(eventLog.append('a', [textMessage('lost')])).rejects.toBeInstanceOf(Fenced)
      expect(await later.append('a', [textMessage('2')])).toEqual([1])
      await expect(eventLog.append('a', [textMessage('lost')])).rejects.toBeInstanceOf(Fenced)
      expect(textsOf(await eventLog.read('a', 0, all))).toEqual(['1', '2'])
      await later.close()
    })

    test('wakes who waits for the next message', async () => {
      const woken = eventLog.waitBeyond('a', 0, new AbortController().signal)
      await eventLog.append('a', [textMessage('1')])
      await woken
      await eventLog.waitBeyond('a', 0, new AbortController().signal)
    })

    test('wakes who waits when the signal aborts, or the log closes', async () => {
      const abort = new AbortController()
      const aborted = eventLog.waitBeyond('a', 0, abort.signal)
      abort.abort()
      await aborted
      const closed = eventLog.waitBeyond('a', 0, new AbortController().signal)
      await eventLog.close()
      await closed
    })
  })
}
