import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  incompleteMax,
  joinParts,
  messageBytesMax,
  PartAssembler,
  parsePart,
  splitMessage,
} from './parts.ts'

/** Smaller than any that is published: the head takes 256 bytes of it. */
const bytesMax = 256 + 10
const contentsOf = (log: readonly Buffer[]) => async (offset: number) => log[offset]

describe('the parts of a message', () => {
  test('make it again, whatever its bytes', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const message = Buffer.from(bytes)
        const log = [...splitMessage(message, bytesMax)]
        expect(log).toHaveLength(Math.ceil(message.length / 10))
        for (const value of log) expect(value.length).toBeLessThanOrEqual(bytesMax)
        expect(await read(log)).toEqual([message.toString('hex')])
      }),
    ))

  test('are distinguished from messages by their first line alone', () => {
    const [part = Buffer.alloc(0)] = splitMessage(
      Buffer.from('{"kind":"gap.declared"}\n'),
      bytesMax,
    )
    expect(parsePart(part)?.head).toMatchObject({ index: 0, count: 3, bytes: 24 })
    expect(parsePart(part)?.content.toString()).toBe('{"kind":"g')
    // A view into a larger buffer, as logs give them.
    const framed = Buffer.concat([Buffer.from('key'), part])
    expect(parsePart(framed.subarray(3))).toEqual(parsePart(part))
    const head = (words: object) => Buffer.from(`${JSON.stringify({ part: words })}\nx`)
    const good = { hash: `0x${'a'.repeat(64)}`, index: 0, count: 1, bytes: 1 }
    expect(parsePart(head(good))).not.toBeNull()
    for (const wrong of [
      { hash: '0x1' },
      { index: -1 },
      { count: 0.5 },
      { bytes: '1' },
      { no: 1 },
    ]) {
      expect(parsePart(head({ ...good, ...wrong })), JSON.stringify(wrong)).toBeNull()
    }
    const others = ['', '{', '{"part":', '{"part":1}\n', '{"part":{"hash":"0x"}', '{"kind":"x"}\n']
    for (const text of others) expect(parsePart(Buffer.from(text)), text).toBeNull()
  })

  test('that are one too few, or of a larger message than anybody reads, make none', () => {
    const hash = hashText(1)
    const take = (head: object) => {
      const part = parsePart(Buffer.from(`${JSON.stringify({ part: { hash, ...head } })}\nabc`))
      if (part === null) throw new Error('no part')
      return new PartAssembler().add(0, part)
    }
    expect(take({ index: 0, count: 2, bytes: messageBytesMax + 1 })).toEqual({
      invalid: `a message of ${messageBytesMax + 1} bytes, above ${messageBytesMax}`,
    })
    expect(take({ index: 0, count: 0, bytes: 3 })).toHaveProperty('invalid')
    expect(take({ index: 2, count: 2, bytes: 3 })).toHaveProperty('invalid')
    expect(take({ index: 0, count: 1, bytes: 4 })).toHaveProperty('invalid')
    expect(take({ index: 0, count: 2, bytes: 2 })).toHaveProperty('invalid')
  })

  test('that do not give the hash in their head make an invalid message, with the reason', async () => {
    const log = [...splitMessage(Buffer.from('a message of many parts'), bytesMax)]
    log[1]?.write('another', log[1].length - 10)
    const { offsets, taken } = wholesOf(log)
    expect(offsets).toEqual([[0, 1, 2]])
    const [whole] = taken
    if (whole === undefined) throw new Error('no whole')
    expect(await joinParts(whole, contentsOf(log))).toEqual({
      invalid: expect.stringMatching(/^the parts of message 0x\w{64} make another one \(0x/),
    })
    expect(await joinParts(whole, async () => undefined)).toEqual({
      invalid: expect.stringContaining('offset 0 does not hold a part of message'),
    })
  })

  test(`of more than ${incompleteMax} messages at a time are discarded, the oldest first, with a reason`, () => {
    const parts = (text: string) => [...splitMessage(Buffer.from(text.repeat(12)), bytesMax)]
    const [a, b, c] = [parts('a'), parts('b'), parts('c')]
    const log = [a, b, c].flatMap(([first = Buffer.alloc(0)]) => [first])
    const rest = [a, b, c].flatMap(([, second = Buffer.alloc(0)]) => [second])
    const { invalid, kept, offsets } = wholesOf([...log, ...rest])
    expect(kept[2]).toMatch(/^1 of 2 parts of message 0x\w+ were given up/)
    // Whoever began them has died, or begins anew: nothing that counts is missing.
    expect(invalid).toEqual([])
    expect(offsets).toEqual([
      [1, 4],
      [2, 5],
    ])
  })
})

const hashText = (byte: number) => `0x${Buffer.alloc(32, byte).toString('hex')}`

/** What an assembler that never forgets makes of a log. */
function wholesOf(log: readonly Buffer[]) {
  const assembler = new PartAssembler()
  const invalid: string[] = []
  const kept: string[] = []
  const wholes = log.flatMap((value, offset) => {
    const part = parsePart(value)
    const taken = part === null ? { kept: '' } : assembler.add(offset, part)
    if ('kept' in taken) kept.push(taken.kept)
    if ('invalid' in taken) invalid.push(taken.invalid)
    return 'whole' in taken ? [taken.whole] : []
  })
  return { taken: wholes, offsets: wholes.map(({ offsets }) => offsets), invalid, kept }
}

const read = async (log: readonly Buffer[]) =>
  Promise.all(
    wholesOf(log).taken.map(async (one) => {
      const bytes = await joinParts(one, contentsOf(log))
      return 'message' in bytes ? bytes.message.toString('hex') : bytes.invalid
    }),
  )

/** A message counts if its first byte is the next number; the rest is its content. */
interface Reader {
  readonly accepted: readonly string[]
  /** After each that counted: where a new reader goes on, and what it knows. */
  readonly restarts: readonly { readonly offset: number; readonly next: number }[]
}

async function readFrom(log: readonly Buffer[], offset: number, next: number): Promise<Reader> {
  const assembler = new PartAssembler()
  const accepted: string[] = []
  const restarts: { offset: number; next: number }[] = []
  const hear = (message: Buffer, at: number) => {
    if (message[0] !== next) return
    accepted.push(`${at} ${message.toString('hex')}`)
    next += 1
    assembler.reset()
    restarts.push({ offset: at + 1, next })
  }
  for (let at = offset; at < log.length; at++) {
    const value = log[at] ?? Buffer.alloc(0)
    const part = parsePart(value)
    if (part === null) {
      hear(value, at)
      continue
    }
    const taken = assembler.add(at, part)
    if (!('whole' in taken)) continue
    const bytes = await joinParts(taken.whole, contentsOf(log))
    if ('message' in bytes) hear(bytes.message, at)
  }
  return { accepted, restarts }
}

/** What one publisher says: the message of a number in its own words, in parts if it is long. */
const said = (next: number, words: number): Buffer[] => {
  const message = Buffer.alloc(1 + words * 7, words)
  message[0] = next
  return words === 0 ? [message] : [...splitMessage(message, bytesMax)]
}

/** What happens to a log: who says the next thing he has to say, and whether it arrives. */
const turn = fc.record({
  publisher: fc.nat(1),
  fate: fc.oneof(
    { weight: 8, arbitrary: fc.constant('once') },
    { weight: 1, arbitrary: fc.constantFrom('lost', 'twice', 'dies') },
  ),
})

interface Word {
  /** Of the content, and how much of it. */
  readonly size: number
  /** Says what is not next: as one does who was long away, or is wrong. */
  readonly ahead: number
}

/** Two publishers who each read back, as far as a reader has come, whenever they have said all. */
async function raced(turns: readonly { publisher: number; fate: string }[], words: Word[][]) {
  const log: Buffer[] = []
  const toSay: Buffer[][] = [[], []]
  let choice = 0
  for (const { publisher, fate } of turns) {
    if (toSay[publisher]?.length === 0 || fate === 'dies') {
      const { restarts } = await readFrom(log, 0, 1)
      const own = words[publisher] ?? []
      const { size, ahead } = own[choice++ % own.length] ?? { size: 1, ahead: 0 }
      toSay[publisher] = said((restarts.at(-1)?.next ?? 1) + ahead, size)
    }
    const value = toSay[publisher]?.shift()
    if (value === undefined || fate === 'lost') continue
    log.push(value)
    if (fate === 'twice') log.push(value)
  }
  return log
}

describe('two publishers who race, whose parts are repeated, lost and broken off', () => {
  const word = fc.record({ size: fc.integer({ min: 0, max: 6 }), ahead: fc.nat(1) })
  const words = fc.array(word, { minLength: 1, maxLength: 4 })
  const races = fc.record({
    turns: fc.array(turn, { maxLength: 80, size: 'max' }),
    words: fc.tuple(words, words),
  })

  test('a reader that begins after any accepted message decides as one that read it all', () =>
    fc.assert(
      fc.asyncProperty(races, async ({ turns, words }) => {
        const log = await raced(turns, words)
        const { accepted, restarts } = await readFrom(log, 0, 1)
        for (const [at, { offset, next }] of restarts.entries()) {
          const again = await readFrom(log, offset, next)
          expect(again.accepted).toEqual(accepted.slice(at + 1))
        }
      }),
    ))

  test('whatever they left, a complete message of a later publisher is accepted', () =>
    fc.assert(
      fc.asyncProperty(races, async ({ turns, words }) => {
        const log = await raced(turns, words)
        const before = await readFrom(log, 0, 1)
        const next = before.restarts.at(-1)?.next ?? 1
        const parts = said(next, 5)
        const after = await readFrom([...log, ...parts], 0, 1)
        expect(after.accepted).toHaveLength(before.accepted.length + 1)
        expect(after.accepted.at(-1)).toContain(Buffer.alloc(35, 5).toString('hex'))
        expect(after.restarts.at(-1)?.offset).toBeLessThanOrEqual(log.length + parts.length)
      }),
    ))
})
