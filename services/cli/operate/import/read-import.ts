import { readFile, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Entries, EntryFault, ImportContext, ImportedFact, ImportKind } from './imported.ts'
import { csvEntries, jsonEntries } from './json-entries.ts'

/** Above it a file is refused: it is read whole. */
const importFileBytesMax = 256 * 1024 * 1024

/** A fault of a file, by its path as it was given. */
export interface FileFault extends EntryFault {
  readonly file: string
}

export interface ReadImport {
  /** One of each key. */
  readonly facts: readonly ImportedFact[]
  readonly faults: readonly FileFault[]
  /** Parts of valid lines that were left out; they refuse nothing. */
  readonly leftOut: readonly FileFault[]
}

type Shared = Omit<ImportContext, 'fileName'>

/** All entries of the files. @throws where a file cannot be read */
export async function readImport(
  kind: ImportKind,
  files: readonly string[],
  shared: Shared,
): Promise<ReadImport> {
  const collected = new Collected(kind)
  for (const file of files) {
    const { size } = await stat(file)
    if (size > importFileBytesMax) {
      collected.fault(file, { line: 1, reason: `above ${importFileBytesMax} bytes: split it` })
    } else collected.read({ file, text: await readFile(file, 'utf8') }, shared)
  }
  return collected
}

interface Text {
  readonly file: string
  readonly text: string
}

/** Parses one text as a file of that name. */
export function readText(kind: ImportKind, text: Text, shared: Shared): ReadImport {
  const collected = new Collected(kind)
  collected.read(text, shared)
  return collected
}

interface Placed {
  readonly fact: ImportedFact
  readonly place: string
}

class Collected implements ReadImport {
  readonly faults: FileFault[] = []
  readonly leftOut: FileFault[] = []
  private readonly kind: ImportKind
  private readonly byKey = new Map<string, Placed>()

  constructor(kind: ImportKind) {
    this.kind = kind
  }

  get facts(): readonly ImportedFact[] {
    return [...this.byKey.values()].map(({ fact }) => fact)
  }

  fault(file: string, { line, reason }: EntryFault): void {
    this.faults.push({ file, line, reason })
  }

  read({ file, text }: Text, shared: Shared): void {
    const fileName = basename(file, extname(file))
    const ending = extname(file).toLowerCase()
    const { entries, faults } = entriesOf(this.kind, { ending, fileName, text })
    const found: EntryFault[] = [...faults]
    for (const entry of entries) {
      const read = this.kind.read(entry, { ...shared, fileName })
      const reason =
        'invalid' in read ? read.invalid : this.add(read.facts, `${file}:${entry.line}`)
      if (reason !== null) found.push({ line: entry.line, reason })
      const left = 'facts' in read ? (read.leftOut ?? []) : []
      this.leftOut.push(...left.map((part) => ({ file, line: entry.line, reason: part })))
    }
    for (const one of found.sort((a, b) => a.line - b.line)) this.fault(file, one)
  }

  /** @returns why one of them is refused. */
  private add(facts: readonly ImportedFact[], place: string): string | null {
    for (const fact of facts) {
      const other = this.byKey.get(fact.key)
      if (other === undefined) this.byKey.set(fact.key, { fact, place })
      else if (!this.kind.takesFirst && !isDeepStrictEqual(other.fact, fact)) {
        return `contradicts ${other.place} for ${fact.key}`
      }
    }
    return null
  }
}

interface Named {
  readonly ending: string
  readonly fileName: string
  readonly text: string
}

function entriesOf(kind: ImportKind, { ending, fileName, text }: Named): Entries {
  if (ending === '.csv') return csvEntries(text)
  if (ending !== '.json') {
    const reason = `not a file of a known form: its name ends with neither .json nor .csv`
    return { entries: [], faults: [{ line: 1, reason }] }
  }
  const whole = kind.isOneEntry === undefined ? null : jsonOf(text)
  if (whole !== null && kind.isOneEntry?.(whole, fileName)) {
    return { entries: [{ line: 1, key: null, value: whole }], faults: [] }
  }
  return jsonEntries(text)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
