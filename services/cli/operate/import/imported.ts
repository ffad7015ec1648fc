import { z } from 'zod'
import { type Address, isAddress } from '../../../../libs/chain/hex.ts'

/** One entry of a file, with its line. */
export interface Entry {
  /** Of its first character, from 1. */
  readonly line: number
  /** Its key in a JSON object; null in a list and in CSV. */
  readonly key: string | null
  /** JSON, or of CSV the columns by their headings. */
  readonly value: unknown
}

/** Why a line is invalid. */
export interface EntryFault {
  readonly line: number
  readonly reason: string
}

export interface Entries {
  readonly entries: readonly Entry[]
  readonly faults: readonly EntryFault[]
}

/** A message for a topic of facts. */
export interface ImportedFact {
  readonly key: string
  readonly message: object
  /** Where it is published, if not where most of its kind are. */
  readonly topic?: string
}

/** The facts of an entry and what of it was left out, or why it is invalid. */
export type Imported =
  | { readonly facts: readonly ImportedFact[]; readonly leftOut?: readonly string[] }
  | { readonly invalid: string }

export interface ImportContext {
  /** Seconds since 1970: time of the fact, unless the file has one. */
  readonly time: number
  /** Of the coin whose prices are imported; null for all else. */
  readonly chainId: number | null
  /** The file's name without folder and ending. */
  readonly fileName: string
}

/** A kind of facts that files are read as. */
export interface ImportKind {
  /** Where they are published. */
  readonly topic: string
  /** Where some of them are published instead. */
  readonly otherTopics?: readonly string[]
  readonly read: (entry: Entry, context: ImportContext) => Imported
  /** Of several facts of one key the first is taken; the others are not an error. */
  readonly takesFirst?: boolean
  /** Where the whole of a JSON file is one entry. */
  readonly isOneEntry?: (json: unknown, fileName: string) => boolean
}

/** The address in a text; null if it is not one. */
export function addressIn(text: unknown): Address | null {
  if (typeof text !== 'string') return null
  const lower = text.trim().toLowerCase()
  return isAddress(lower) ? lower : null
}

export const invalid = (reason: string): Imported => ({ invalid: reason })

/** A value in a message: long ones and control characters are left out. */
export const quoted = (value: unknown): string =>
  String(typeof value === 'string' ? value : JSON.stringify(value))
    .replace(/\p{Cc}/gu, '·')
    .slice(0, 80)

/** An absent or empty one is null and says nothing: a mark that others have set stays. */
export const scamMark = z
  .union([z.boolean(), z.null(), z.literal('').transform(() => null), z.stringbool()], {
    error: ({ input }) => `neither true nor false: ${quoted(input)}`,
  })
  .default(null)
