import { describe, expect, it } from 'vitest'
import { RowSink } from './row-binary.ts'
import { compiledEncoder } from './table.ts'

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
