import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvEntries, jsonEntries } from './json-entries.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

describe('JSON', () => {
  test('gives each entry of a list with its line', () => {
    const { entries, faults } = jsonEntries('[\n  {"a": 1},\n\n  "two", [3,\n 4]\n]\n')
    expect(faults).toEqual([])
    expect(entries).toEqual([
      { line: 2, key: null, value: { a: 1 } },
      { line: 4, key: null, value: 'two' },
      { line: 4, key: null, value: [3, 4] },
    ])
  })

  test('gives each entry of an object with its name', () => {
    const { entries } = jsonEntries('{"a,]}": {"x": "\\"}"},\n "b": null}')
    expect(entries).toEqual([
      { line: 1, key: 'a,]}', value: { x: '"}' } },
      { line: 2, key: 'b', value: null },
    ])
  })

  test('names the line of an entry that is no JSON, and goes on', () => {
    const { entries, faults } = jsonEntries('[1,\n{"a": tru},\n3]')
    expect(entries.map(({ value }) => value)).toEqual([1, 3])
    expect(faults).toEqual([{ line: 2, reason: 'not JSON' }])
  })

  test.each([
    ['', 1, /neither a JSON list/],
    ['7', 1, /neither a JSON list/],
    ['[1\n', 2, /no , or \]/],
    ['[1]\n\n[2]', 3, /something behind/],
    ['{"a" 1}', 1, /not JSON|without a name|no :/],
    ['{1: 2}', 1, /without a name/],
    ['[1,]', 1, /not JSON/],
    ['["a', 1, /not JSON/],
  ])('finds the fault of %j', (text, line, reason) => {
    const { faults } = jsonEntries(text)
    expect(faults[0]?.reason).toMatch(reason)
    expect(faults[0]?.line).toBe(line)
  })

  test(`reads what JSON.parse reads (seed ${seed})`, () => {
    const list = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 })
    fc.assert(
      fc.property(list, fc.constantFrom(0, 2), (values, indent) => {
        const { entries, faults } = jsonEntries(JSON.stringify(values, null, indent))
        expect(faults).toEqual([])
        expect(JSON.stringify(entries.map(({ value }) => value))).toBe(JSON.stringify(values))
      }),
      { seed, numRuns: 100 },
    )
  })

  test(`ends, whatever the text (seed ${seed})`, () => {
    const marks = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', '\n', 'a')
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 40 }), (components) => {
        jsonEntries(components.join(''))
      }),
      { seed, numRuns: 500 },
    )
  })
})

describe('CSV', () => {
  test('gives each record by its headings, with its line', () => {
    const text = '\uFEFFAddress, Name\r\n0x1,"a, ""b""\nc"\r\n\r\n 0x2 ,d\r\n'
    expect(csvEntries(text)).toEqual({
      entries: [
        { line: 2, key: null, value: { address: '0x1', name: 'a, "b"\nc' } },
        { line: 5, key: null, value: { address: '0x2', name: 'd' } },
      ],
      faults: [],
    })
  })

  test('names the line of a record with too many or too few fields, and goes on', () => {
    const { entries, faults } = csvEntries('a,b\n1,2\n3\n4,5,6\n7,8\n')
    expect(entries.map(({ line }) => line)).toEqual([2, 5])
    expect(faults.map(({ line }) => line)).toEqual([3, 4])
    expect(faults[0]?.reason).toMatch(/Invalid Record Length/)
  })

  test('names the line where a quote is not closed', () => {
    expect(csvEntries('a\n1\n"2\n').faults).toMatchObject([
      { reason: expect.stringMatching(/Quote/) },
    ])
  })
})
