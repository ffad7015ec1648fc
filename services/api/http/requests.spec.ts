import { expect, test } from 'vitest'
import { acceptsGzip, acceptsJson, matchesTag } from './requests.ts'

test('does not look through headers that are longer than any client needs', () => {
  const ranges = (range: string, count: number) => Array(count).fill(range).join()
  expect(acceptsGzip(ranges('gzip', 10))).toBe(true)
  expect(acceptsGzip(ranges('gzip', 1_000))).toBe(false)
  expect(acceptsJson(ranges('text/html', 10))).toBe(false)
  expect(acceptsJson(ranges('text/html', 1_000))).toBe(true)
  expect(matchesTag(ranges('"a"', 1_000), '"a"')).toBe(true)
  expect(matchesTag(ranges('"a"', 10_000), '"a"')).toBe(false)
})
