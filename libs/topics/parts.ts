import { createHash } from 'node:crypto'
import { z } from 'zod'
import { pauses } from '../chain/pauses.ts'
import type { BlocksMessage } from './blocks.ts'
import { type Decoded, decodeBlocksMessage } from './codec.ts'
import { decodeInPieces } from './decode-in-pieces.ts'
import { hashText, integerNumber } from './quantities.ts'

/**
 * A message above the record size limit is published as several records, its parts: a line of JSON
 * that identifies the part and the message, then the raw bytes. Parts of several publishers may be
 * interleaved, repeated, or missing.
 */

/** A message of the log, parts and their head line included; uncompressed. */
export const partBytesMax = 8 * 1024 * 1024
/** Maximum size of an assembled message: half of the maximum string length of V8. */
export const messageBytesMax = 256 * 1024 * 1024
/** Maximum number of incomplete messages: one for each of two racing publishers. */
export const incompleteMax = 2

/** Longer than any head line, newline included. */
const headBytesMax = 256

const headForm = z.strictObject({
  part: z.strictObject({
    hash: hashText,
    index: integerNumber,
    count: integerNumber,
    bytes: integerNumber,
  }),
})

/** Which part it is: `index` of `count`, from 0, of the message of `bytes` with that SHA-256. */
export type PartHead = z.output<typeof headForm>['part']

/** Cuts a message, each part with its head no longer than `bytesMax`. */
export function* splitMessage(
  message: Uint8Array,
  bytesMax: number,
  hash: PartHead['hash'] = bytesHash(message),
): Generator<Buffer> {
  const step = bytesMax - headBytesMax
  const count = Math.max(1, Math.ceil(message.length / step))
  for (let index = 0; index < count; index++) {
    const head: PartHead = { hash, index, count, bytes: message.length }
    const line = Buffer.from(`${JSON.stringify({ part: head })}\n`, 'latin1')
    yield Buffer.concat([line, message.subarray(index * step, (index + 1) * step)])
  }
}

/** SHA-256. */
export const bytesHash = (message: Uint8Array): PartHead['hash'] =>
  hashText.parse(`0x${createHash('sha256').update(message).digest('hex')}`)

export interface MessagePart {
  readonly head: PartHead
  readonly content: Uint8Array
}

const opening = Buffer.from('{"part":', 'latin1')

/** Null if the record is not a part: a whole message, or unreadable. */
export function parsePart(value: Uint8Array): MessagePart | null {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (!bytes.subarray(0, opening.length).equals(opening)) return null
  const end = bytes.subarray(0, headBytesMax).indexOf('\n')
  const head = headForm.safeParse(parsed(bytes.toString('utf8', 0, Math.max(0, end))))
  return head.success ? { head: head.data.part, content: bytes.subarray(end + 1) } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A message whose parts are complete: their offsets, in order. */
export const assembledParts = z.object({
  hash: hashText,
  bytes: integerNumber,
  offsets: z.array(integerNumber).min(1),
})
export type AssembledParts = Readonly<z.output<typeof assembledParts>>

/** Result of adding a part. `kept` is for display: an unused part is not an error. */
type PartResult =
  | { readonly kept: string }
  | { readonly whole: AssembledParts }
  | { readonly invalid: string }

interface Begun {
  readonly head: PartHead
  readonly offsets: number[]
  bytes: number
}

/**
 * Assembles messages from parts, in log order. Pure: the result depends only on the parts since
 * creation or the last reset. Stores offsets, not content, so incomplete messages are cheap.
 *
 * Invariant: it is reset whenever a message is accepted. So an assembler that starts after any
 * accepted message makes the same decisions as one that has read the whole log.
 */
export class PartAssembler {
  readonly #begun = new Map<string, Begun>()

  /** Discards incomplete messages, which can only be those of lost races. */
  reset(): void {
    this.#begun.clear()
  }

  add(offset: number, { head, content }: MessagePart): PartResult {
    const fault = faultOf(head)
    if (fault !== null) return { invalid: fault }
    const name = `${head.hash} ${head.count} ${head.bytes}`
    const known = this.#begun.get(name)
    const next = known?.offsets.length ?? 0
    const label = `part ${head.index + 1} of ${head.count} of message ${head.hash}`
    if (head.index < next) return { kept: `${label} again` }
    if (head.index > next) return { kept: `${label}, but not the one before it` }
    const begun = known ?? { head, offsets: [], bytes: 0 }
    begun.offsets.push(offset)
    begun.bytes += content.length
    if (begun.bytes > head.bytes || (next + 1 === head.count && begun.bytes < head.bytes)) {
      this.#begun.delete(name)
      return { invalid: `${label} makes ${begun.bytes} bytes, not ${head.bytes}` }
    }
    if (next + 1 === head.count) {
      this.#begun.delete(name)
      return { whole: { hash: head.hash, bytes: head.bytes, offsets: begun.offsets } }
    }
    this.#begun.set(name, begun)
    const givenUp = known === undefined ? this.#giveUpOldest() : null
    return { kept: givenUp ?? label }
  }

  /** At the limit, discards the oldest: its publisher has most likely failed. */
  #giveUpOldest(): string | null {
    const [oldest] = this.#begun
    if (oldest === undefined || this.#begun.size <= incompleteMax) return null
    const [name, { head, offsets }] = oldest
    this.#begun.delete(name)
    return (
      `${offsets.length} of ${head.count} parts of message ${head.hash} were given up: ` +
      `${incompleteMax} others began after them`
    )
  }
}

function faultOf({ index, count, bytes }: PartHead): string | null {
  if (bytes > messageBytesMax) return `a message of ${bytes} bytes, above ${messageBytesMax}`
  if (count < 1 || count > bytes) return `a message of ${bytes} bytes in ${count} parts`
  return index < count ? null : `part ${index + 1} of ${count}`
}

/**
 * The bytes of a message, its parts read again one at a time: of its size and one part's in
 * memory.
 *
 * @param valueAt the message of the log at an offset; undefined if it is not there any more
 */
export async function joinParts(
  { hash, bytes, offsets }: AssembledParts,
  valueAt: (offset: number) => Promise<Uint8Array | undefined>,
): Promise<{ readonly message: Buffer } | { readonly invalid: string }> {
  const message = Buffer.allocUnsafeSlow(bytes)
  const sum = createHash('sha256')
  const pause = pauses()
  let end = 0
  for (const offset of offsets) {
    const value = await valueAt(offset)
    const part = value === undefined ? null : parsePart(value)
    if (part === null || part.head.hash !== hash || end + part.content.length > bytes) {
      return { invalid: `offset ${offset} does not hold a part of message ${hash} any more` }
    }
    message.set(part.content, end)
    sum.update(part.content)
    end += part.content.length
    await pause()
  }
  const actual = end === bytes ? `0x${sum.digest('hex')}` : null
  if (actual === hash) return { message }
  return { invalid: `the parts of message ${hash} make another one (${actual ?? `${end} bytes`})` }
}

/** A record of topic `blocks`: a message, or a part of one. */
interface StoredValue {
  readonly offset: number
  readonly value: Uint8Array
}

interface AssembledMessage {
  readonly decoded: Decoded<BlocksMessage>
  /** Offsets of its parts; null if it was not split. */
  readonly whole: AssembledParts | null
}

/** Turns the records of a log, read in order, into messages. */
export class MessageAssembler {
  readonly #parts = new PartAssembler()
  readonly #valueAt: (offset: number) => Promise<Uint8Array | undefined>
  #begun = false

  /** @param valueAt reads the record at an offset; undefined if it does not exist (any more) */
  constructor(valueAt: (offset: number) => Promise<Uint8Array | undefined>) {
    this.#valueAt = valueAt
  }

  /** Whether no incomplete message is pending. */
  get isClean(): boolean {
    return !this.#begun
  }

  /** @returns null for a part that completes nothing */
  async add({ offset, value }: StoredValue): Promise<AssembledMessage | null> {
    const part = parsePart(value)
    if (part === null) return { decoded: decodeBlocksMessage(value), whole: null }
    this.#begun = true
    const taken = this.#parts.add(offset, part)
    if ('kept' in taken) return null
    if ('invalid' in taken) return { decoded: taken, whole: null }
    return { decoded: await decodeAssembled(taken.whole, this.#valueAt), whole: taken.whole }
  }

  /** To be called when the last message was accepted. */
  accepted(): void {
    this.#parts.reset()
    this.#begun = false
  }
}

/** Decodes a message from its parts. */
export async function decodeAssembled(
  whole: AssembledParts,
  valueAt: (offset: number) => Promise<Uint8Array | undefined>,
): Promise<Decoded<BlocksMessage>> {
  const bytes = await joinParts(whole, valueAt)
  return 'invalid' in bytes ? bytes : decodeInPieces(bytes.message)
}
