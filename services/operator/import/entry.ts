/** One thing that a file says, and where. */
export interface Entry {
  /** Of its first character, from 1. */
  readonly line: number
  /** Under which it stands in a JSON object; null in a list and in CSV. */
  readonly key: string | null
  /** JSON, or of CSV the columns by their headings. */
  readonly value: unknown
}

/** Why a line is none of a file that is imported. */
export interface EntryFault {
  readonly line: number
  readonly reason: string
}

export interface Entries {
  readonly entries: readonly Entry[]
  readonly faults: readonly EntryFault[]
}
