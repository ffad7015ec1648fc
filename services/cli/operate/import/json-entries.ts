import { CsvError, parse } from 'csv-parse/sync'
import type { Entries, Entry, EntryFault } from './imported.ts'

/**
 * The entries of a JSON list or object, one by one, so that each is known by its line and a faulty
 * one spoils no other. A text that is neither is one fault.
 */
export function jsonEntries(text: string): Entries {
  const reader = new TopLevel(text)
  const entries: Entry[] = []
  const faults: EntryFault[] = []
  for (const piece of reader.pieces()) {
    if ('reason' in piece) faults.push(piece)
    else entries.push(piece)
  }
  return { entries, faults }
}

/** Walks over one list or object without parsing its entries. */
class TopLevel {
  private readonly text: string
  private at = 0
  private line = 1
  private countedTo = 0

  constructor(text: string) {
    this.text = text
  }

  *pieces(): Generator<Entry | EntryFault> {
    this.skipBlanks()
    const open = this.text[this.at]
    if (open !== '[' && open !== '{') return yield this.fault('neither a JSON list nor an object')
    const close = open === '[' ? ']' : '}'
    this.at++
    this.skipBlanks()
    if (this.text[this.at] === close) this.at++
    else {
      for (;;) {
        const piece = this.piece(open === '{')
        yield piece
        this.skipBlanks()
        const mark = this.text[this.at++]
        if (mark === close) break
        if (mark !== ',') return yield this.fault(`no , or ${close} after an entry`, this.at - 1)
      }
    }
    this.skipBlanks()
    if (this.at < this.text.length) yield this.fault('something behind the end of the JSON')
  }

  private piece(isNamed: boolean): Entry | EntryFault {
    this.skipBlanks()
    const from = this.at
    const line = this.lineAt(from)
    let key: string | null = null
    if (isNamed) {
      const name = parsed(this.slice())
      if (typeof name?.value !== 'string') return { line, reason: 'an entry without a name' }
      key = name.value
      this.skipBlanks()
      if (this.text[this.at] !== ':') return { line, reason: `no : after ${key.slice(0, 80)}` }
      this.at++
    }
    this.skipBlanks()
    const value = parsed(this.slice())
    return value === null ? { line, reason: 'not JSON' } : { line, key, value: value.value }
  }

  /** One value, by its brackets and quotes only. */
  private slice(): string {
    const from = this.at
    let depth = 0
    for (; this.at < this.text.length; this.at++) {
      const mark = this.text[this.at] ?? ''
      if (mark === '"') this.skipString()
      else if (mark === '[' || mark === '{') depth++
      else if (mark === ']' || mark === '}') {
        if (depth === 0) break
        depth--
      } else if (depth === 0 && (mark === ',' || mark === ':')) break
    }
    return this.text.slice(from, this.at)
  }

  /** From the quote that opens it to the one that closes it. */
  private skipString(): void {
    for (this.at++; this.at < this.text.length && this.text[this.at] !== '"'; this.at++) {
      if (this.text[this.at] === '\\') this.at++
    }
  }

  private skipBlanks(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  private fault(reason: string, at = this.at): EntryFault {
    return { line: this.lineAt(at), reason }
  }

  private lineAt(at: number): number {
    for (; this.countedTo < at; this.countedTo++)
      if (this.text[this.countedTo] === '\n') this.line++
    return this.line
  }
}

function parsed(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

interface Parsed {
  readonly record: Readonly<Record<string, string>>
  /** `lines`: of the record's last character, from 1. */
  readonly info: { readonly lines: number }
}

/** The records of CSV whose first line has the headings: letter case of headings is free. */
export function csvEntries(text: string): Entries {
  const faults: EntryFault[] = []
  const noteFault = (error: CsvError) => {
    faults.push({
      line: Number(error.lines ?? 1),
      reason: error.message.replace(/ on line \d+$/, ''),
    })
  }
  try {
    const records: readonly Parsed[] = parse(text, {
      bom: true,
      columns: (headings: readonly string[]) =>
        headings.map((heading) => heading.trim().toLowerCase()),
      info: true,
      skip_empty_lines: true,
      trim: true,
      skip_records_with_error: true,
      on_skip: (error) => {
        if (error !== undefined) noteFault(error)
        return undefined
      },
    })
    return { entries: records.map(entryOf), faults }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    noteFault(error)
    return { entries: [], faults }
  }
}

/** A field between quotes may have several lines. */
function entryOf({ record, info }: Parsed): Entry {
  const breaks = Object.values(record).join('').split('\n').length - 1
  return { line: info.lines - breaks, key: null, value: record }
}
