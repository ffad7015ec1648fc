import type { Pause } from './pauses.ts'

/**
 * An element of an array as it is kept; `isWhole` if no element within it was kept before.
 * The path of the array is a JSON Pointer (RFC 6901) without places in arrays: whatever characters
 * names have, no two members have the same one.
 */
export type Keep = (path: string, element: unknown, isWhole: boolean) => unknown

interface PiecesOptions {
  readonly keep: Keep
  readonly pause: Pause
  /** Bytes parsed at once; a longer text that is no array and no object is parsed at once, too. */
  readonly pieceBytesMax?: number
}

const pieceBytes = 256 * 1024
/** As deep as this a message has no arrays or objects longer than a piece. */
const levelsMax = 16

const code = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  array: 0x5b,
  arrayEnd: 0x5d,
  object: 0x7b,
  objectEnd: 0x7d,
} as const

const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])
const wordEnds: ReadonlySet<number | undefined> = new Set([
  ...blanks,
  code.comma,
  code.arrayEnd,
  code.objectEnd,
])

/**
 * JSON as `JSON.parse` reads it, in pieces with pauses between them: of 200 MB it takes a second.
 *
 * @throws SyntaxError
 */
export async function jsonInPieces(bytes: Buffer, options: PiecesOptions): Promise<unknown> {
  const reader = new PiecesReader(bytes, options)
  const value = await reader.value('', levelsMax)
  reader.end()
  return value
}

class PiecesReader {
  readonly #bytes: Buffer
  readonly #keep: Keep
  readonly #pause: Pause
  readonly #pieceBytesMax: number
  #at = 0

  constructor(bytes: Buffer, { keep, pause, pieceBytesMax = pieceBytes }: PiecesOptions) {
    this.#bytes = bytes
    this.#keep = keep
    this.#pause = pause
    this.#pieceBytesMax = pieceBytesMax
  }

  async value(path: string, levels: number): Promise<unknown> {
    await this.#pause()
    const start = this.#next()
    const end = this.#endWithin(start)
    if (end !== null) return this.#parsed(start, end)
    const first = this.#bytes[start]
    if (first === code.array && levels > 0) return this.#array(path, levels)
    if (first === code.object && levels > 0) return this.#object(path, levels)
    if (first === code.array || first === code.object) {
      throw new SyntaxError(`a long value below ${levelsMax} levels at byte ${start}`)
    }
    const isText = first === code.quote
    return this.#parsed(start, isText ? endOfString(this.#bytes, start) : this.#endOfWord(start))
  }

  /** @throws SyntaxError unless all was read */
  end(): void {
    if (this.#next() < this.#bytes.length) throw new SyntaxError('more than one value')
  }

  #parsed(start: number, end: number): unknown {
    this.#at = end
    return JSON.parse(this.#bytes.toString('utf8', start, end))
  }

  /** Place of the next byte that is not blank. */
  #next(): number {
    while (blanks.has(this.#bytes[this.#at])) this.#at += 1
    return this.#at
  }

  #take(expected: number): boolean {
    if (this.#bytes[this.#next()] !== expected) return false
    this.#at += 1
    return true
  }

  async #object(path: string, levels: number): Promise<unknown> {
    const members: [string, unknown][] = []
    this.#take(code.object)
    if (this.#take(code.objectEnd)) return {}
    do {
      const start = this.#next()
      const name = this.#parsed(start, endOfString(this.#bytes, start))
      if (typeof name !== 'string' || !this.#take(code.colon)) {
        throw new SyntaxError(`no member of an object at byte ${start}`)
      }
      members.push([name, await this.value(`${path}/${escaped(name)}`, levels - 1)])
    } while (this.#take(code.comma))
    if (!this.#take(code.objectEnd)) throw new SyntaxError(`no end of an object at ${this.#at}`)
    // Own properties whatever their names are, as those of JSON.parse.
    return Object.fromEntries(members)
  }

  async #array(path: string, levels: number): Promise<unknown> {
    const elements: unknown[] = []
    this.#take(code.array)
    if (this.#take(code.arrayEnd)) return elements
    do {
      const start = this.#next()
      const end = this.#endOfRun(start)
      if (end > start) {
        this.#at = end
        const run: unknown = JSON.parse(`[${this.#bytes.toString('utf8', start, end)}]`)
        if (!Array.isArray(run)) throw new SyntaxError('no array')
        for (const element of run) {
          elements.push(this.#keep(path, element, true))
          await this.#pause()
        }
      } else {
        elements.push(this.#keep(path, await this.value(path, levels - 1), false))
      }
    } while (this.#take(code.comma))
    if (!this.#take(code.arrayEnd)) throw new SyntaxError(`no end of an array at ${this.#at}`)
    return elements
  }

  /** End of a number, true, false or null. */
  #endOfWord(start: number): number {
    let end = start
    while (end < this.#bytes.length && !wordEnds.has(this.#bytes[end])) end += 1
    return end
  }

  /** End of as many elements as fit into a piece. */
  #endOfRun(start: number): number {
    let end = start
    for (let at = start; at - start < this.#pieceBytesMax; ) {
      const next = this.#endWithin(at)
      if (next === null || next - start > this.#pieceBytesMax) return end
      end = next
      at = next
      while (blanks.has(this.#bytes[at])) at += 1
      if (this.#bytes[at] !== code.comma) return end
      at += 1
      while (blanks.has(this.#bytes[at])) at += 1
    }
    return end
  }

  /** End of the value; null if it is longer than a piece, or has no end. */
  #endWithin(start: number): number | null {
    const bytes = this.#bytes
    const limit = Math.min(bytes.length, start + this.#pieceBytesMax)
    let depth = 0
    for (let at = start; at < limit; at++) {
      switch (bytes[at]) {
        case code.quote:
          at = endOfString(bytes, at) - 1
          if (depth === 0) return at < limit ? at + 1 : null
          break
        case code.array:
        case code.object:
          depth += 1
          break
        case code.arrayEnd:
        case code.objectEnd:
          if (depth === 0) return at
          depth -= 1
          if (depth === 0) return at + 1
          break
        case code.comma:
          if (depth === 0) return at
      }
    }
    return depth === 0 && limit === bytes.length ? limit : null
  }
}

/** A name in a JSON Pointer. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** @throws SyntaxError if it has none */
function endOfString(bytes: Buffer, start: number): number {
  for (
    let at = bytes.indexOf(code.quote, start + 1);
    at >= 0;
    at = bytes.indexOf(code.quote, at + 1)
  ) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === code.backslash) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
  throw new SyntaxError(`no end of a text at byte ${start}`)
}
