import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import { address, hash } from '../../chain/hex.ts'
import { position } from '../../chain/position.ts'
import * as c from './columns.ts'
import { RowSink, RowSource } from './row-binary.ts'
import { type Row, table } from './table.ts'

const packed = {
  words: c.nullable(c.textType),
  amount: c.nullable(c.uint256),
  input: c.bytesType,
  account: c.nullable(c.addressType),
  small: c.uint8,
  flag: c.nullable(c.bool),
  json: c.jsonTextType,
  large: c.uint64,
  digests: c.listType(c.hashType),
}
const key = { id: c.uint32, amount: c.nullable(c.uint256) }
const source = { source: 'blocks', group: 'ledger', serves: 'this spec' } as const
const options = { name: 'packed', key, granularity: 256, ...source } as const
const own = { digest: c.hashType }
const shared = { id: c.uint32, ...packed }
const rows = table({ ...options, columns: { ...own, ...packed }, packed, shared })
const others = table({ ...options, columns: packed, packed, shared })

const row: Row<typeof rows> = {
  id: 7,
  digest: hash(`0x${'0a'.repeat(32)}`),
  words: null,
  amount: null,
  input: '0x',
  account: null,
  small: 3,
  flag: null,
  json: '[]',
  large: 9,
  digests: [],
  position: position(1),
  isDeleted: 0,
}

const sunk = (write: (sink: RowSink) => void) => {
  const sink = new RowSink()
  write(sink)
  return Buffer.from(sink.bytes())
}
const bytesOf = (one: Row<typeof rows>) => sunk((sink) => rows.encode(sink, one))

const hexText = fc.uint8Array({ maxLength: 300 }).map((bytes): `0x${string}` => {
  return `0x${Buffer.from(bytes).toString('hex')}`
})
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const anyRow = fc.record({
  words: orNull(anyText(300)),
  amount: orNull(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })),
  input: hexText,
  account: orNull(
    fc.constantFrom(address(`0x${'00'.repeat(20)}`), address(`0x${'f0'.repeat(20)}`)),
  ),
  small: fc.nat({ max: 255 }),
  flag: orNull(fc.boolean()),
  json: anyText(300),
  large: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  digests: fc.array(fc.constantFrom(hash(`0x${'00'.repeat(32)}`), hash(`0x${'0a'.repeat(32)}`))),
})

describe('packed columns', () => {
  it('are stored in one column, and those of the key for themselves as well', () => {
    expect(Object.keys(rows.storedColumns)).toEqual([
      'id',
      'amount',
      'digest',
      'body',
      'position',
      'isDeleted',
    ])
  })

  it('come back as they were, whole and in parts', () => {
    fc.assert(
      fc.property(anyRow, (values) => {
        const one = { ...row, ...values }
        const read = new RowSource(Buffer.concat([bytesOf(one), bytesOf(row)]))
        expect([rows.decode(read), rows.decode(read)]).toEqual([one, row])
        expect(read.done).toBe(true)
        const parts = sunk((sink) => {
          rows.encodeShared(sink, one)
          rows.encodeOthers(sink, one)
        })
        expect(rows.decodeParts(new RowSource(parts))).toEqual(one)
      }),
    )
  })

  it('are the same bytes in all tables that share them, before what each has of its own', () => {
    expect(rows.columnsInParts).toEqual(['id', 'body', 'amount', 'digest', 'position', 'isDeleted'])
    expect(others.columnsInParts).toEqual(['id', 'body', 'amount', 'position', 'isDeleted'])
    expect(sunk((sink) => rows.encodeShared(sink, row))).toEqual(
      sunk((sink) => others.encodeShared(sink, row)),
    )
  })

  it('of one size lie at the same bytes whatever the others are', () => {
    const long = {
      ...row,
      words: 'a'.repeat(30),
      amount: 5n,
      account: null,
      input: '0x0102' as const,
    }
    const at = (one: Row<typeof rows>) => {
      const body = sunk((sink) => others.encode(sink, one)).subarray(
        4 + (one.amount === null ? 1 : 33),
      )
      // Its length takes one byte; then amount, account, small, flag and large.
      const small = 1 + 33 + 21
      return [body[small], body[small + 1], body.readUInt32LE(small + 3)]
    }
    expect(at(row)).toEqual([3, 1, 9])
    expect(at(long)).toEqual([3, 1, 9])
  })

  it.each([-1, 1])('of %d bytes more than they take are refused, too', (more) => {
    const bytes = bytesOf(row)
    const length = 4 + 1 + 32
    bytes.writeUInt8(bytes.readUInt8(length) + more, length)
    expect(() => rows.decode(new RowSource(bytes))).toThrow(
      `a body has ${more} bytes more than its columns`,
    )
  })

  it('have to be columns of the row, of types with a form in a body', () => {
    expect(() => table({ ...options, columns: own, packed })).toThrow(
      'packed columns that no row has: words',
    )
    const lists = { many: c.listType(c.textType) }
    expect(() => table({ ...options, columns: lists, packed: lists })).toThrow(
      'many is Array(String), which no body holds',
    )
  })
})
