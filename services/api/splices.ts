import { randomUUID } from 'node:crypto'
import { confirmationsOf } from '../../libs/presenters/transaction.ts'

/** Stands in a body that is not finished; nobody outside of this process can know it. */
const mark = randomUUID()
const marked = new RegExp(`"${mark}:(\\d+)"`)

/** Stands for the confirmations of a block, which change with every head. */
export const splicedConfirmations = (blockNumber: number): string => `${mark}:${blockNumber}`

/** A body without its confirmations, and where they belong. */
export interface Template {
  readonly body: Buffer
  readonly confirmations: readonly (readonly [at: number, blockNumber: number])[]
}

/** @param text JSON in which confirmations are marked. */
export function templateOf(text: string): Template {
  const confirmations: [at: number, blockNumber: number][] = []
  const parts: Buffer[] = []
  let at = 0
  for (const [place, part] of text.split(marked).entries()) {
    if (place % 2 === 1) {
      confirmations.push([at, Number(part)])
      continue
    }
    const bytes = Buffer.from(part)
    parts.push(bytes)
    at += bytes.length
  }
  return {
    body: parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts),
    confirmations,
  }
}

/** Templates one behind the other. */
export function joined(parts: readonly Template[]): Template {
  const confirmations: [at: number, blockNumber: number][] = []
  let begin = 0
  for (const part of parts) {
    for (const [at, blockNumber] of part.confirmations)
      confirmations.push([begin + at, blockNumber])
    begin += part.body.length
  }
  return {
    body: Buffer.concat(
      parts.map(({ body }) => body),
      begin,
    ),
    confirmations,
  }
}

/** The body as it is at a head. */
export function finished({ body, confirmations }: Template, headBlock: number): Buffer {
  if (confirmations.length === 0) return body
  const parts: Buffer[] = []
  let from = 0
  for (const [at, blockNumber] of confirmations) {
    parts.push(body.subarray(from, at))
    parts.push(Buffer.from(String(confirmationsOf({ blockNumber }, headBlock))))
    from = at
  }
  parts.push(body.subarray(from))
  return Buffer.concat(parts)
}
