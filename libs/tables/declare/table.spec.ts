import { describe, expect, it } from 'vitest'
import { textType, uint8 } from './columns.ts'
import { RowSink, RowSource } from './row-binary.ts'
import { compiledDecoder, compiledEncoder, compiledKey, table } from './table.ts'

describe('a compiled encoder', () => {
  it('writes each column by its own writer, in the order of the columns', () => {
    const encode = compiledEncoder<{ first: number; second: number }>([
      ['second', (sink, value) => sink.uint16(Number(value))],
      ['first', (sink, value) => sink.uint8(Number(value))],
    ])
    const sink = new RowSink()
    encode(sink, { first: 1, second: 2 })
    expect([...sink.bytes()]).toEqual([2, 0, 1])
  })
})

describe('a compiled decoder', () => {
  it('reads each column by its own reader, in the order of the columns', () => {
    const decode = compiledDecoder([
      ['second', (source) => source.uint16()],
      ['first', (source) => source.uint8()],
    ])
    const source = new RowSource(Buffer.from([2, 0, 1, 3, 0, 4]))
    const rows = [decode(source), decode(source)]
    expect(rows).toEqual([
      { second: 2, first: 1 },
      { second: 3, first: 4 },
    ])
    expect(source.done).toBe(true)
  })

  it('has the columns of rows whose names are keywords', () => {
    const decode = compiledDecoder([['from', (source) => source.uint8()]])
    expect(decode(new RowSource(Buffer.from([7])))).toEqual({ from: 7 })
  })
})

it('joins the values of a compiled key as text', () => {
  const key = compiledKey<Record<string, unknown>>(['text', 'amount', 'count', 'isSet'])
  expect(key({ count: 3, isSet: false, text: 'a', amount: 2n ** 80n })).toBe(
    'a|1208925819614629174706176|3|false',
  )
})

it.each(['a.b', 'a)', 'a b', '', '0', 'a`', 'a}'])(
  'refuses %j, which would be more than a name',
  (name) => {
    expect(() => compiledEncoder([[name, () => {}]])).toThrow('not the name of a column')
    expect(() => compiledDecoder([[name, () => 0]])).toThrow('not the name of a column')
    expect(() => compiledKey([name])).toThrow('not the name of a column')
  },
)

describe('the subject of a changed row', () => {
  const key = { list: textType, rank: uint8 }
  const source = { source: 'blocks', group: 'state', serves: 'this spec' } as const
  const options = { name: 'ranks', key, columns: {}, granularity: 512, ...source } as const
  const row = { list: 'a', rank: 7 }

  it('is the first column of the key by default, because a page is a list', () => {
    expect(table(options).subjectOf(row)).toBe('a')
  })

  it('is the whole key if the table declares it', () => {
    expect(table({ ...options, subject: 'key' }).subjectOf(row)).toBe('a|7')
  })

  it('is one name for all rows if the table gives one', () => {
    expect(table({ ...options, subject: { ofAll: 'ranks' } }).subjectOf(row)).toBe('ranks')
  })
})
