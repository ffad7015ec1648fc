import { CsvError, parse } from 'csv-parse/sync'
import type { Entries, Entry, EntryFault } from './entry.ts'

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
