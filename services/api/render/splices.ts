import { randomUUID } from 'node:crypto'
import { confirmationsOf } from '../../../libs/presenters/transaction.ts'

/** Marks a placeholder in a rendered body; random, so that no chain content can contain it. */
const mark = randomUUID()
const marked = new RegExp(`"${mark}:(\\d+)"`)

/** Placeholder of the confirmations of a block, which change with every head. */
export const splicedConfirmations = (blockNumber: number): string => `${mark}:${blockNumber}`

/** A body without its confirmations, and the offsets at which they are inserted. */
export interface Template {
  readonly bytes: Buffer
  readonly confirmations: readonly (readonly [at: number, blockNumber: number])[]
}

/** @param text JSON with placeholders. */
export function templateOf(text: string): Template {
  const confirmations: [at: number, blockNumber: number][] = []
  const parts: Buffer[] = []
  let at = 0
  for (const [index, part] of text.split(marked).entries()) {
    if (index % 2 === 1) {
      confirmations.push([at, Number(part)])
      continue
    }
    const bytes = Buffer.from(part)
    parts.push(bytes)
    at += bytes.length
  }
  return {
    bytes: parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts),
    confirmations,
  }
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

/** The body with its confirmations at a head. */
export function spliced({ bytes, confirmations }: Template, headBlock: number): Buffer {
  if (confirmations.length === 0) return bytes
  const parts: Buffer[] = []
  let from = 0
  for (const [at, blockNumber] of confirmations) {
    parts.push(bytes.subarray(from, at))
    parts.push(Buffer.from(String(confirmationsOf({ blockNumber }, headBlock))))
    from = at
  }
  parts.push(bytes.subarray(from))
  return Buffer.concat(parts)
}
