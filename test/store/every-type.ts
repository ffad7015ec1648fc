import { address, hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import * as c from '../../libs/tables/declare/columns.ts'
import { createTable } from '../../libs/tables/declare/ddl.ts'
import { RowSink } from '../../libs/tables/declare/row-binary.ts'
import { type Row, table } from '../../libs/tables/declare/table.ts'

/** A table with a column of every type there is. */
export const everyType = table({
  name: 'every_type',
  serves: 'tests of the store',
  group: 'ledger',
  source: 'blocks',
  key: { number: c.uint32, amount: c.descending(c.uint256) },
  columns: {
    small: c.uint8,
    word: c.uint16,
    large: c.uint64,
    flag: c.bool,
    account: c.addressType,
    digest: c.hashType,
    method: c.selector,
    words: c.textType,
    input: c.bytesType,
    maybeAmount: c.nullable(c.uint256),
    maybeText: c.nullable(c.textType),
    maybeAccount: c.nullable(c.addressType),
    maybeBytes: c.nullable(c.bytesType),
    digests: c.listType(c.hashType),
  },
  granularity: 256,
})

export type EveryType = Row<typeof everyType>

export const createEveryType = createTable(everyType)
export const everyTypeColumns = Object.keys(everyType.storedColumns)
export const selectEveryType = `SELECT ${everyTypeColumns.join(', ')} FROM ${everyType.stored}`

export const emptyRow = (number: number): EveryType => ({
  number,
  amount: 0n,
  small: 0,
  word: 0,
  large: 0,
  flag: false,
  account: address(`0x${'00'.repeat(20)}`),
  digest: hash(`0x${'00'.repeat(32)}`),
  method: '0x00000000',
  words: '',
  input: '0x',
  maybeAmount: null,
  maybeText: null,
  maybeAccount: null,
  maybeBytes: null,
  digests: [],
  position: position(1),
  isDeleted: 0,
})

const amountMax = (1n << 256n) - 1n

export const fullRow = (number: number): EveryType => ({
  number,
  amount: amountMax,
  small: 255,
  word: 65_535,
  large: Number.MAX_SAFE_INTEGER,
  flag: true,
  account: address(`0x${'ff'.repeat(20)}`),
  digest: hash(`0x${'ff'.repeat(32)}`),
  method: '0xffffffff',
  words: 'ъ\u0000\t"\\\'🜚'.repeat(10_000),
  input: `0x${'00ff0a5c27'.repeat(200_000)}`,
  maybeAmount: amountMax,
  maybeText: '',
  maybeAccount: address(`0x${'5c'.repeat(20)}`),
  maybeBytes: '0x',
  digests: Array.from({ length: 300 }, () => hash(`0x${'0a'.repeat(32)}`)),
  position: position(Number.MAX_SAFE_INTEGER),
  isDeleted: 1,
})

export function encoded(rows: readonly EveryType[]): Buffer {
  const sink = new RowSink()
  for (const row of rows) everyType.encode(sink, row)
  return Buffer.from(sink.bytes())
}
