import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { MemoryTopics, memoryEventLog } from '../../../../libs/ports/testing/memory-event-log.ts'
import { ledger } from '../../../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../../../libs/projections/testing/law.ts'
import type { BlocksMessage } from '../../../../libs/topics/blocks.ts'
import { decodeBlocksMessage, encodeMessage } from '../../../../libs/topics/codec.ts'
import { splitMessage } from '../../../../libs/topics/parts.ts'
import { applied, gap, hashOf, observed, reverted } from '../../../projector/testing/messages.ts'
import { AcceptedMessages, logBeginning } from './accepted-messages.ts'
import { writeMessages } from './export-folder.ts'
import { exportLog } from './export-log.ts'
import { importLog } from './import-log.ts'

const block = (number: number, fork = 'a', parent = fork) => ({
  number,
  hash: hashOf(`${number}${fork}`),
  parentHash: hashOf(`${number - 1}${parent}`),
  senders: [number, number + 1],
})

/** A log with all kinds of messages. */
const messages: readonly BlocksMessage[] = [
  applied(1, block(1)),
  observed(2, { block: 1, hash: hashOf('1a'), holders: [1, 2] }),
  applied(3, block(2)),
  applied(4, block(3)),
  reverted(5, block(3)),
  applied(6, block(3, 'b', 'a')),
  gap(7, 4, 6),
  applied(8, block(7, 'c')),
  applied(9, block(8, 'c')),
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-export-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (value: Uint8Array) => ({ key: '1', value })

async function logWith(some: readonly BlocksMessage[]): Promise<EventLog> {
  const eventLog = memoryEventLog(new MemoryTopics())
  for (const message of some) await eventLog.append('blocks', [record(encodeMessage(message))])
  return eventLog
}

async function acceptedIn(eventLog: EventLog): Promise<BlocksMessage[]> {
  const found: BlocksMessage[] = []
  for await (const { bytes } of new AcceptedMessages(
    eventLog,
    await logBeginning(eventLog),
  ).read()) {
    const decoded = decodeBlocksMessage(bytes)
    if ('message' in decoded) found.push(decoded.message)
  }
  return found
}

/** Rows of all tables that the log folds into. */
function rowsOf(log: readonly BlocksMessage[]) {
  return [ledger, stateGroup].map((group) => {
    const runner = new InMemoryGroup(group)
    runner.fold(log)
    return runner.tables
  })
}

const { signal } = new AbortController()
/** Small files: each of a message or two. */
const exported = (
  eventLog: EventLog,
  words: { from?: number; to?: number; signal?: AbortSignal } = {},
) => exportLog({ eventLog, folder, from: null, to: null, fileBytesMax: 4_000, signal, ...words })
const imported = (eventLog: EventLog, words: { chainId?: number; signal?: AbortSignal } = {}) =>
  importLog({ eventLog, folder, chainId: null, recordBytesMax: 3_000, signal, ...words })

const fileOf = (position: number) => join(folder, `blocks-${String(position).padStart(16, '0')}.gz`)

describe('an exported and imported log', () => {
  it('has the same messages, and folds into the same rows', async () => {
    const { manifest, count } = await exported(await logWith(messages))
    expect([count, manifest?.next.accepted.sequence]).toEqual([9, 9])
    expect(manifest?.files.length).toBeGreaterThan(2)
    const restored = memoryEventLog(new MemoryTopics())
    expect(await imported(restored)).toMatchObject({ known: 0, count: 9 })
    const found = await acceptedIn(restored)
    expect(found).toEqual(messages)
    expect(rowsOf(found.slice(0, 4))).toEqual(rowsOf(messages.slice(0, 4)))
    // More records than messages: those above the bound are in parts.
    expect(await restored.end('blocks')).toBeGreaterThan(9)
  })

  it('has each message once and whole, whatever else lay in the topic', async () => {
    const eventLog = memoryEventLog(new MemoryTopics())
    const [first, ...others] = messages
    const bytes = encodeMessage(first)
    const parts = [...splitMessage(bytes, 1_000)]
    const junk = ['no message', JSON.stringify({ kind: 'block.applied' })]
    await eventLog.append('blocks', parts.slice(0, 1).map(record))
    await eventLog.append(
      'blocks',
      [...parts, ...junk.map((text) => Buffer.from(text))].map(record),
    )
    await eventLog.append(
      'blocks',
      others
        .flatMap((one) => [one, one])
        .map(encodeMessage)
        .map(record),
    )
    await exported(eventLog)
    const restored = memoryEventLog(new MemoryTopics())
    await imported(restored)
    expect(await acceptedIn(restored)).toEqual(messages)
  })

  it('is the part that was asked for, and the next part goes on after it', async () => {
    const eventLog = await logWith(messages)
    expect(await exported(eventLog, { to: 4 })).toMatchObject({ count: 4 })
    const restored = memoryEventLog(new MemoryTopics())
    expect(await imported(restored)).toMatchObject({ known: 0, count: 4 })
    expect(await exported(eventLog)).toMatchObject({ count: 5 })
    expect(await exported(eventLog)).toMatchObject({ count: 0 })
    expect(await imported(restored)).toMatchObject({ known: 4, count: 5 })
    expect(await imported(restored)).toMatchObject({ known: 9, count: 0 })
    expect(await acceptedIn(restored)).toEqual(messages)
  })

  it('may lie in several folders', async () => {
    const eventLog = await logWith(messages)
    await exported(eventLog, { from: 5 })
    const refused = imported(memoryEventLog(new MemoryTopics()))
    await expect(refused).rejects.toThrow('begins at position 5, topic blocks ends at 0')
    const restored = await logWith(messages.slice(0, 4))
    expect(await imported(restored)).toMatchObject({ count: 5 })
    expect(await acceptedIn(restored)).toEqual(messages)
    await expect(exported(eventLog, { from: 2 })).rejects.toThrow('from position 5: --from is 2')
  })
})

describe('what is killed goes on', () => {
  it('an export, after its last complete file', async () => {
    const eventLog = await logWith(messages)
    await exported(eventLog, { to: 3 })
    const unfinished = `${fileOf(4)}.unfinished`
    writeFileSync(unfinished, 'half a file')
    expect(await exported(eventLog)).toMatchObject({ count: 6 })
    const restored = memoryEventLog(new MemoryTopics())
    await imported(restored)
    expect(await acceptedIn(restored)).toEqual(messages)
  })

  it('an export of a log that was moved to other offsets', async () => {
    await exported(await logWith(messages.slice(0, 4)))
    const moved = memoryEventLog(new MemoryTopics())
    await moved.append('blocks', [record(Buffer.from('another first record'))])
    for (const message of messages) await moved.append('blocks', [record(encodeMessage(message))])
    expect(await exported(moved)).toMatchObject({ count: 5 })
  })

  it('an import, at whatever record it ended', async () => {
    await exported(await logWith(messages))
    const whole = memoryEventLog(new MemoryTopics())
    await imported(whole)
    const records = await whole.read('blocks', 0, { messagesMax: 1_000, bytesMax: 1e9 })
    for (let ended = 0; ended <= records.length; ended++) {
      const eventLog = memoryEventLog(new MemoryTopics())
      for (const { key, value } of records.slice(0, ended))
        await eventLog.append('blocks', [{ key, value }])
      await imported(eventLog)
      expect(await acceptedIn(eventLog)).toEqual(messages)
    }
  })

  it('what is asked to stop writes no half file and no half message', async () => {
    const stopped = AbortSignal.abort()
    const eventLog = await logWith(messages)
    expect(await exported(eventLog, { signal: stopped })).toMatchObject({
      count: 0,
      manifest: null,
    })
    await exported(eventLog)
    const restored = memoryEventLog(new MemoryTopics())
    expect(await imported(restored, { signal: stopped })).toMatchObject({ count: 0 })
  })
})

describe('refused with a sentence', () => {
  const empty = () => memoryEventLog(new MemoryTopics())

  it('a folder without an export', async () => {
    await expect(imported(empty())).rejects.toThrow('holds no export')
    writeFileSync(join(folder, 'manifest.json'), '{"format": 9}')
    await expect(imported(empty())).rejects.toThrow('is not the manifest of an export')
  })

  it('an end before the beginning', async () => {
    const backwards = exported(await logWith(messages), { from: 5, to: 4 })
    await expect(backwards).rejects.toThrow('the first position is 5, --to is 4.')
  })

  it('another chain', async () => {
    await exported(await logWith(messages))
    const other = imported(empty(), { chainId: 10 })
    await expect(other).rejects.toThrow('The export is of chain 1, --chain-id is 10.')
  })

  it.each([
    ['a flipped bit', (file: Buffer) => file.fill(file.readUInt8(40) ^ 1, 40, 41), 'SHA-256'],
    ['a cut file', (file: Buffer) => file.subarray(0, 40), 'has 40 bytes'],
  ])('%s, before anything is published', async (_, spoil, sentence) => {
    await exported(await logWith(messages))
    const path = fileOf(4)
    writeFileSync(path, spoil(readFileSync(path)))
    const eventLog = empty()
    await expect(imported(eventLog)).rejects.toThrow(
      /blocks-0000000000000004\.gz \(positions 4 to \d\)/,
    )
    await expect(imported(eventLog)).rejects.toThrow(sentence)
    expect(await eventLog.end('blocks')).toBe(0)
  })

  it('a file that is missing, or stands in for another', async () => {
    await exported(await logWith(messages))
    const kept = readFileSync(fileOf(4))
    rmSync(fileOf(4))
    await expect(imported(empty())).rejects.toThrow('blocks-0000000000000004.gz')
    copyFileSync(fileOf(1), fileOf(4))
    await expect(imported(empty())).rejects.toThrow('is damaged: blocks-0000000000000004.gz')
    writeFileSync(fileOf(4), kept)
    const path = join(folder, 'manifest.json')
    const text = readFileSync(path, 'utf8')
    const manifest = JSON.parse(text)
    manifest.files.splice(1, 1)
    writeFileSync(path, JSON.stringify(manifest))
    await expect(imported(empty())).rejects.toThrow(/position \d is missing before it/)
  })

  it('messages that do not follow each other, though their files are whole', async () => {
    const { manifest } = await exported(await logWith(messages.slice(0, 2)))
    const spoilt = async (...some: BlocksMessage[]) => {
      const lines = async function* () {
        for (const each of some) yield { position: each.sequence, bytes: encodeMessage(each) }
      }
      const file = await writeMessages(folder, 1, lines())
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, files: [file] }))
      return imported(empty())
    }
    const [first = applied(1, block(1))] = messages
    await expect(spoilt(first, applied(2, block(2, 'z')))).rejects.toThrow(
      /0001\.gz \(positions 1 to 2\) has a message at position 2 that does not follow: block 2 has/,
    )
    await expect(spoilt(first, applied(3, block(2)))).rejects.toThrow('sequence 3 where 2 is next')
    await expect(spoilt({ ...first, chainId: 5 })).rejects.toThrow(
      'of chain 5 at position 1, not 1',
    )
  })

  it('a topic with another log', async () => {
    await exported(await logWith(messages))
    const other = await logWith([applied(1, block(1, 'z'))])
    await expect(imported(other)).rejects.toThrow(
      'its message at position 1 (offset 0) is not that',
    )
    const junk = empty()
    await junk.append('blocks', [record(Buffer.from('not ours'))])
    await expect(imported(junk)).rejects.toThrow('a message that no import published, at offset 0')
  })

  it('an export that another log would continue', async () => {
    await exported(await logWith(messages.slice(0, 3)))
    const other = await logWith([applied(1, block(1, 'z')), applied(2, block(2, 'z'))])
    await expect(exported(other)).rejects.toThrow('holds an export of another log')
  })
})
