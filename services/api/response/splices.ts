import { createHash, randomUUID } from 'node:crypto'
import { confirmationsOf } from '../../../libs/presenters/objects/transaction.ts'

/** Marks a placeholder in a rendered body; random, so that no chain content can contain it. */
const mark = randomUUID()
const quotedMark = Buffer.from(`"${mark}:`)
const quote = '"'.charCodeAt(0)

/** Placeholder of the confirmations of a block, which change with every head. */
export const splicedConfirmations = (blockNumber: number): string => `${mark}:${blockNumber}`

/** A body without its confirmations, and the offsets at which they are inserted. */
export interface Template {
  readonly bytes: Buffer
  readonly confirmations: readonly (readonly [at: number, blockNumber: number])[]
}

/** @param text JSON with placeholders. */
export const templateOf = (text: string): Template => templateOfBytes(Buffer.from(text))

/** @param bytes JSON with placeholders; overwritten. */
export function templateOfBytes(bytes: Buffer): Template {
  const confirmations: [at: number, blockNumber: number][] = []
  let [from, to] = [0, 0]
  const keepUntil = (end: number) => {
    if (from !== to) bytes.copyWithin(to, from, end)
    to += end - from
  }
  for (;;) {
    const at = bytes.indexOf(quotedMark, from)
    if (at === -1) break
    keepUntil(at)
    const digitsAt = at + quotedMark.length
    const end = bytes.indexOf(quote, digitsAt)
    confirmations.push([to, Number(bytes.toString('latin1', digitsAt, end))])
    from = end + 1
  }
  keepUntil(bytes.length)
  return { bytes: bytes.subarray(0, to), confirmations }
}

/** Of base64url: 162 bits. */
const digestCharacters = 27

/** Equal for equal bodies at equal heads. */
export function digestOf({ bytes, confirmations }: Template): string {
  const hash = createHash('sha256').update(bytes)
  if (confirmations.length > 0) hash.update(JSON.stringify(confirmations))
  return hash.digest('base64url').slice(0, digestCharacters)
}

export function concatTemplates(parts: readonly Template[]): Template {
  const confirmations: [at: number, blockNumber: number][] = []
  let begin = 0
  for (const part of parts) {
    for (const [at, blockNumber] of part.confirmations)
      confirmations.push([begin + at, blockNumber])
    begin += part.bytes.length
  }
  return {
    bytes: Buffer.concat(
      parts.map(({ bytes }) => bytes),
      begin,
    ),
    confirmations,
  }
}

/** A body with its confirmations at a head; `block` is null where it has none yet. */
export interface SplicedBody {
  readonly bytes: Buffer
  readonly block: number | null
}

/**
 * The body at another head, from that at any: of a page only one body is kept.
 * @param confirmations where they are inserted: offsets in the template
 */
export function spliced(
  { bytes, block }: SplicedBody,
  confirmations: Template['confirmations'],
  headBlock: number,
): Buffer {
  if (confirmations.length === 0) return bytes
  const counts = confirmations.map(([, blockNumber]) => digitsAt(blockNumber, headBlock))
  let length = bytes.length
  for (const [index, [, blockNumber]] of confirmations.entries()) {
    length += (counts[index] ?? '').length - digitsAt(blockNumber, block).length
  }
  // Without a buffer for each part: pages have a hundred.
  const body = Buffer.allocUnsafe(length)
  let [from, to, replaced] = [0, 0, 0]
  for (const [index, [at, blockNumber]] of confirmations.entries()) {
    to += bytes.copy(body, to, from, at + replaced)
    to += body.write(counts[index] ?? '', to, 'latin1')
    replaced += digitsAt(blockNumber, block).length
    from = at + replaced
  }
  bytes.copy(body, to, from)
  return body
}

const digitsAt = (blockNumber: number, headBlock: number | null): string =>
  headBlock === null ? '' : String(confirmationsOf({ blockNumber }, headBlock))
