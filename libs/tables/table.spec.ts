import { describe, expect, it } from 'vitest'
import { textType, uint8 } from './columns.ts'
import { RowSink } from './row-binary.ts'
import { compiledEncoder, table } from './table.ts'

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

  it.each(['a.b', 'a)', 'a b', '', '0'])('refuses %j, which would be more than a name', (name) => {
    expect(() => compiledEncoder([[name, () => {}]])).toThrow('not the name of a column')
  })
})

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
