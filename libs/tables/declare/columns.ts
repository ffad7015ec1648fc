import type { Address, Hash, Hex } from '../../chain/hex.ts'
import { position as asPosition, type Position } from '../../chain/position.ts'
import type { RowSink, RowSource } from './row-binary.ts'

/** A column's type, declared once: its DDL and both directions of its RowBinary form. */
export interface ColumnType<T> {
  readonly ddl: string
  /** True where the key is stored greatest first. */
  readonly descending: boolean
  readonly codec: string | null
  readonly write: (sink: RowSink, value: T) => void
  readonly read: (source: RowSource) => T
  /** Null where no body may hold it. */
  readonly packed: PackedForm<T> | null
}

/**
 * A value as it lies in a body (`body.ts`): its size does not depend on the value, but for texts
 * and lists, which have four bytes with their length before them, so that SQL can read them, too.
 */
export interface PackedForm<T> {
  /** Null for texts and lists. */
  readonly bytes: number | null
  readonly write: (sink: RowSink, value: T) => void
  readonly read: (source: RowSource) => T
}

export type ValueOf<C> = C extends ColumnType<infer T> ? T : never

type Form<T> = Pick<ColumnType<T>, 'ddl' | 'write' | 'read'>
interface OtherForms<T> {
  readonly codec?: string
  readonly packed?: PackedForm<T>
}
const columnType = <T>(form: Form<T>, { codec, packed }: OtherForms<T> = {}): ColumnType<T> => ({
  ...form,
  codec: codec ?? null,
  descending: false,
  packed: packed ?? null,
})

/** A type whose values take the same number of bytes, in a body too. */
const sized = <T>(bytes: number, form: Form<T>, codec?: string): ColumnType<T> =>
  columnType(form, {
    ...(codec === undefined ? {} : { codec }),
    packed: { bytes, write: form.write, read: form.read },
  })

/**
 * Bytes of a known count, as hex with a type of its own. Read, only their count can be wrong: the
 * general check of each digit was three quarters of the time to read an address.
 */
const fixedType = <T extends Hex>(bytes: number, isOfType: (text: Hex) => text is T) =>
  sized<T>(bytes, {
    ddl: `FixedString(${bytes})`,
    write: (sink, value) => sink.fixed(value, bytes),
    read(source) {
      const text = source.fixed(bytes)
      if (isOfType(text)) return text
      throw new RangeError(`not ${bytes} bytes: ${text}`)
    },
  })

export const addressType = fixedType(20, (text): text is Address => text.length === 42)
export const hashType = fixedType(32, (text): text is Hash => text.length === 66)

/** The first four bytes of an input. */
export const selector = sized<Hex>(4, {
  ddl: 'FixedString(4)',
  write: (sink, value) => sink.fixed(value, 4),
  read: (source) => source.fixed(4),
})

export const uint8 = sized<number>(1, {
  ddl: 'UInt8',
  write: (sink, value) => sink.uint8(value),
  read: (source) => source.uint8(),
})

export const uint16 = sized<number>(2, {
  ddl: 'UInt16',
  write: (sink, value) => sink.uint16(value),
  read: (source) => source.uint16(),
})

export const uint32 = sized<number>(4, {
  ddl: 'UInt32',
  write: (sink, value) => sink.uint32(value),
  read: (source) => source.uint32(),
})

/** Block numbers, times, positions: neighbours differ little. Figures in benchmarks/NOTES.md. */
const ofNeighbours = 'Delta(8), LZ4'

/** UInt64 that holds integers below 2^53. */
export const uint64 = sized<number>(
  8,
  {
    ddl: 'UInt64',
    write: (sink, value) => sink.uint64(value),
    read: (source) => source.uint64(),
  },
  ofNeighbours,
)

/** The block after which a value was observed while its token was in doubt; 0: it is derived. */
export const observedAt = uint64

export const uint256 = sized<bigint>(32, {
  ddl: 'UInt256',
  write: (sink, value) => sink.uint256(value),
  read: (source) => source.uint256(),
})

export const bool = sized<boolean>(1, {
  ddl: 'Bool',
  write: (sink, value) => sink.uint8(value ? 1 : 0),
  read: (source) => source.uint8() === 1,
})

export const positionColumn = sized<Position>(
  8,
  {
    ddl: 'UInt64',
    write: (sink, value) => sink.uint64(value),
    read: (source) => asPosition(source.uint64()),
  },
  ofNeighbours,
)

const text: Form<string> = {
  ddl: 'String',
  write: (sink, value) => sink.text(value),
  read: (source) => source.text(),
}
const packedText: PackedForm<string> = {
  bytes: null,
  write: (sink, value) => sink.packedText(value),
  read: (source) => source.packedText(),
}

export const textType = columnType(text, { packed: packedText })

/** Raw bytes; hex in the program. Inputs are long: compressed harder than the rest. */
export const bytesType = columnType<Hex>(
  { ddl: 'String', write: (sink, value) => sink.hex(value), read: (source) => source.hex() },
  {
    codec: 'ZSTD(1)',
    packed: {
      bytes: null,
      write: (sink, value) => sink.packedHex(value),
      read: (source) => source.packedHex(),
    },
  },
)

/** JSON of one row after another with the same names: compressed harder than the rest. */
export const jsonTextType = columnType(text, { codec: 'ZSTD(1)', packed: packedText })

export function nullable<T>(inner: ColumnType<T>): ColumnType<T | null> {
  return {
    ...inner,
    ddl: `Nullable(${inner.ddl})`,
    write(sink, value) {
      sink.uint8(value === null ? 1 : 0)
      if (value !== null) inner.write(sink, value)
    },
    read: (source) => (source.uint8() === 1 ? null : inner.read(source)),
    packed: inner.packed && packedNullable(inner.packed),
  }
}

/** Bytes of the length of a text. */
const lengthBytes = 4

/** Null takes as many bytes as a value, or as an empty text; all of them are zero. */
function packedNullable<T>(inner: PackedForm<T>): PackedForm<T | null> {
  const ofNull = inner.bytes ?? lengthBytes
  return {
    bytes: inner.bytes === null ? null : inner.bytes + 1,
    write(sink, value) {
      sink.uint8(value === null ? 1 : 0)
      if (value === null) sink.zeros(ofNull)
      else inner.write(sink, value)
    },
    read(source) {
      if (source.uint8() !== 1) return inner.read(source)
      source.skip(ofNull)
      return null
    },
  }
}

export function listType<T>(inner: ColumnType<T>): ColumnType<readonly T[]> {
  return {
    ...inner,
    ddl: `Array(${inner.ddl})`,
    write(sink, values) {
      sink.varint(values.length)
      for (const value of values) inner.write(sink, value)
    },
    read: (source) => Array.from({ length: source.varint() }, () => inner.read(source)),
    packed: inner.packed && packedList(inner.packed),
  }
}

/** As a text of all values; null where these differ in size. */
function packedList<T>({ bytes, write, read }: PackedForm<T>): PackedForm<readonly T[]> | null {
  if (bytes === null) return null
  return {
    bytes: null,
    write(sink, values) {
      sink.uint32(values.length * bytes)
      for (const value of values) write(sink, value)
    },
    read: (source) => Array.from({ length: source.uint32() / bytes }, () => read(source)),
  }
}

/** A key column that is stored greatest first. */
export const descending = <T>(inner: ColumnType<T>): ColumnType<T> => ({
  ...inner,
  descending: true,
})
