import { expect, test } from 'vitest'
import { acceptsGzip, acceptsJson, matchesTag } from './accepted.ts'

test('does not look through headers that are longer than any client needs', () => {
  const ranges = (range: string, count: number) => Array(count).fill(range).join()
  expect(acceptsGzip(ranges('gzip', 10))).toBe(true)
  expect(acceptsGzip(ranges('gzip', 1_000))).toBe(false)
  expect(acceptsJson(ranges('text/html', 10))).toBe(false)
  expect(acceptsJson(ranges('text/html', 1_000))).toBe(true)
  expect(matchesTag(ranges('"a"', 1_000), '"a"')).toBe(true)
  expect(matchesTag(ranges('"a"', 10_000), '"a"')).toBe(false)
})

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000', false],
  ['gzip;q=0.1, identity', false],
  ['identity', false],
  ['deflate, br', false],
  [';;,', false],
  ['', false],
  [undefined, false],
])('Accept-Encoding %j: gzip is %j', (header, isAccepted) => {
  expect(acceptsGzip(header)).toBe(isAccepted)
})

test.each([
  [undefined, true],
  [' ', true],
  ['*/*', true],
  ['text/html, application/*;q=0.1', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/vnd.api+json', true],
  ['application/json;q=0', false],
  ['text/html', false],
  ['text/*', false],
  [';;,', false],
])('Accept %j: JSON is %j', (header, isAccepted) => {
  expect(acceptsJson(header)).toBe(isAccepted)
})

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match %j has the tag "a": %j', (header, isMatch) => {
  expect(matchesTag(header, '"a"')).toBe(isMatch)
})
