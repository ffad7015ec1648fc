import type { PackedForm } from './columns.ts'
import { RowSink, type RowSource } from './row-binary.ts'

/** Column that holds packed columns. */
export const bodyName = 'body'

export interface PackedColumn {
  readonly name: string
  readonly ddl: string
  readonly form: PackedForm<unknown>
}

/** Columns that lie together in one String, because a page needs all of them of few rows. */
export interface Body {
  readonly ddl: string
  readonly codec: string
  readonly descending: false
  /** In the order of their bytes: those of a fixed size first, so that SQL finds them, too. */
  readonly columns: readonly PackedColumn[]
}

/** What packs: a column type with its form in a body. */
interface Packable {
  readonly ddl: string
  readonly packed: PackedForm<unknown> | null
}

/** @throws for a column that has no form in a body */
export function bodyOf(columns: Readonly<Record<string, Packable>>): Body {
  const packed = Object.entries(columns).map(([name, { ddl, packed: form }]) => {
    if (form === null) throw new Error(`${name} is ${ddl}, which no body holds`)
    return { name, ddl, form }
  })
  const isFixed = ({ form }: PackedColumn) => form.bytes !== null
  return {
    ddl: 'String',
    // A whole granule is read for one row: LZ4, which is fast. Figures in benchmarks/NOTES.md.
    codec: 'ZSTD(1)',
    descending: false,
    columns: [...packed.filter(isFixed), ...packed.filter((column) => !isFixed(column))],
  }
}

/** Writes a body as a String of RowBinary, given a writer of its packed columns. */
export function bodyWriter<R>(writeColumns: (sink: RowSink, row: R) => void) {
  const body = new RowSink()
  return (sink: RowSink, row: R): void => {
    body.clear()
    writeColumns(body, row)
    sink.varint(body.size)
    sink.append(body)
  }
}

/** Reads what stands before the packed columns. @returns where the body ends */
export function openBody(source: RowSource): number {
  const bytes = source.varint()
  return source.bytesRead + bytes
}

/** @throws RangeError for a body of more or fewer bytes than its columns */
export function closeBody(source: RowSource, end: number): void {
  const more = end - source.bytesRead
  if (more !== 0) throw new RangeError(`a body has ${more} bytes more than its columns`)
}
