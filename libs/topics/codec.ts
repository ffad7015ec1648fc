import type { z } from 'zod'
import { type BlocksMessage, blocksMessage } from './blocks.ts'

/** A decoded message, or why its bytes are invalid. */
export type Decoded<M> = { readonly message: M } | { readonly invalid: string }

type Wire = string | number | boolean | null | Wire[] | { [name: string]: Wire }

/** JSON as UTF-8; bigints become decimal strings. Copying first is faster than a replacer. */
export function encodeMessage(message: unknown): Uint8Array {
  return Buffer.from(messageText(message), 'utf8')
}

export const messageText = (message: unknown): string => JSON.stringify(wireOf(message))

function wireOf(value: unknown): Wire {
  switch (typeof value) {
    case 'bigint':
      return value.toString()
    case 'string':
    case 'number':
    case 'boolean':
      return value
    case 'object': {
      if (value === null) return null
      if (Array.isArray(value)) return value.map(wireOf)
      const copy: { [name: string]: Wire } = {}
      for (const [name, inner] of Object.entries(value)) {
        if (inner === undefined) continue
        if (name === '__proto__') setOwn(copy, name, wireOf(inner))
        else copy[name] = wireOf(inner)
      }
      return copy
    }
    default:
      throw new Error(`a message cannot carry a ${typeof value}`)
  }
}

/** An assignment would set the prototype, and the member would be missing in the JSON. */
function setOwn(of: object, name: string, value: Wire): void {
  Object.defineProperty(of, name, { value, enumerable: true })
}

/** Never throws: whatever is not a message of the schema is invalid, with the place and reason. */
export function decodeMessage<S extends z.ZodType>(
  schema: S,
  bytes: Uint8Array,
): Decoded<z.output<S>> {
  const parsed = parseJson(bytes)
  if ('invalid' in parsed) return parsed
  const result = parsedBy(schema, parsed.message)
  if ('invalid' in result) return result
  if (result.success) return { message: result.data }
  return { invalid: firstIssueOf(result.error, 'message') }
}

/** The first thing that a schema found wrong, with its field: `labels.0: Invalid input: ...`. */
export function firstIssueOf({ issues: [issue] }: z.ZodError, whole: string): string {
  if (issue === undefined) return 'does not match its schema'
  return `${issue.path.length === 0 ? whole : issue.path.join('.')}: ${issue.message}`
}

/** A schema that recurses may overflow the stack: that is the message's fault, not ours. */
function parsedBy<S extends z.ZodType>(schema: S, value: unknown) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    return { invalid: `cannot be read: ${reasonOf(error)}` }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)

export const decodeBlocksMessage = (bytes: Uint8Array): Decoded<BlocksMessage> =>
  decodeMessage(blocksMessage, bytes)

function parseJson(bytes: Uint8Array): Decoded<unknown> {
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    return { message: JSON.parse(text) }
  } catch (error) {
    return { invalid: `not JSON: ${reasonOf(error)}` }
  }
}
