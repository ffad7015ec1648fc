import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchFailure, failureOf } from './fetch-failure.ts'

const decoders = {
  br: createBrotliDecompress,
  deflate: createInflate,
  gzip: createGunzip,
  'x-gzip': createGunzip,
}
type Encoding = keyof typeof decoders

export const acceptedEncodings = 'gzip, deflate, br'

/**
 * The encoding of a body; null for none. Several are refused: each multiplies what a small body may
 * become, and nobody compresses a document twice.
 * @param fields Content-Encoding, as often as it was sent
 * @throws FetchFailure
 */
export function encodingOf(fields: readonly string[]): Encoding | null {
  const names = fields
    .flatMap((one) => one.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  const [name] = names
  if (name === undefined) return null
  if (names.length === 1 && isKnown(name)) return name
  throw new FetchFailure('encoding', 'the body is in an encoding that was not asked for')
}

const isKnown = (name: string): name is Encoding => Object.hasOwn(decoders, name)

/**
 * Reads and decodes a body, and destroys it at the bound.
 * @param bytesMax of the body as it is sent, and as it is decoded
 * @throws FetchFailure, or what the connection failed with
 */
export async function decodedBody(
  body: Readable,
  encoding: Encoding | null,
  bytesMax: number,
): Promise<Uint8Array> {
  const decoder = encoding === null ? null : decoders[encoding]()
  // Each stream fails with the error of the other: the first one to fail is the cause.
  let first: 'body' | 'decoder' | null = null
  body.once('error', () => {
    first ??= 'body'
  })
  decoder?.once('error', () => {
    first ??= 'decoder'
  })
  const bytes = new BoundedBytes(bytesMax)
  const collect = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) bytes.append(chunk)
  }
  let bytesSent = 0
  async function* bounded(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytesSent += chunk.length
      if (bytesSent > bytesMax) throw bodyTooLarge(bytesMax)
      yield chunk
    }
  }
  try {
    await (decoder === null ? pipeline(body, collect) : pipeline(body, bounded, decoder, collect))
  } catch (cause) {
    if (bytes.isExceeded || bytesSent > bytesMax) throw bodyTooLarge(bytesMax)
    throw first === 'decoder' ? failureOf(cause, 'encoding') : cause
  }
  return bytes.whole()
}

const bytesAtFirst = 16_384

/**
 * Copies what it is given: a list of chunks that a server made as small as it likes would take a
 * hundred times their bytes.
 */
class BoundedBytes {
  readonly #bytesMax: number
  #bytes = new Uint8Array(bytesAtFirst)
  #length = 0
  isExceeded = false

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    this.isExceeded = length > this.#bytesMax
    if (this.isExceeded) throw bodyTooLarge(this.#bytesMax)
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  whole(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}

export const bodyTooLarge = (bytesMax: number): FetchFailure =>
  new FetchFailure('too-large', `the body has more than ${bytesMax} bytes`)
