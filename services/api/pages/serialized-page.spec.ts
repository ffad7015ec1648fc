import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Page } from './page.ts'
import { deserializePage, serializePage } from './serialized-page.ts'

const families = fc.array(
  fc.tuple(
    fc.string(),
    fc.uint8Array().chain((few) =>
      fc.constantFrom(
        [...few],
        [...few].map((bucket) => bucket * 0xffffff),
      ),
    ),
  ),
)
const time = fc.option(fc.nat())
const pages: fc.Arbitrary<Page> = fc.record({
  validFor: fc.record({ from: time, until: time, at: fc.option(fc.string()) }),
  dependencies: fc.record({
    since: fc.nat(),
    exactly: families,
    wholly: fc.array(fc.string()),
    throttled: families,
    window: time,
    throttledSince: fc.nat(),
  }),
  body: fc.option(
    fc.record({
      bytes: fc.uint8Array({ maxLength: 10_000 }).map((bytes) => Buffer.from(bytes)),
      confirmations: fc.array(fc.tuple(fc.nat(), fc.nat())),
      headers: fc.dictionary(fc.string(), fc.string()),
      digest: fc.string(),
    }),
  ),
})

const plain = ({ dependencies, ...page }: Page) => {
  const { exactly, throttled } = dependencies
  const listed = (all: typeof exactly) => all.map(([name, of]) => [name, Array.from(of)])
  return {
    ...page,
    dependencies: { ...dependencies, exactly: listed(exactly), throttled: listed(throttled) },
  }
}

test('a page is read as it was written, wherever its bytes begin in a response', () => {
  fc.assert(
    fc.property(pages, fc.nat(7), (page, at) => {
      const serialized = serializePage(page)
      const response = Buffer.concat([Buffer.alloc(at), serialized])
      const read = deserializePage(response.subarray(at))
      if (read === null) throw new Error('not read')
      expect(plain(read)).toEqual(plain(page))
    }),
  )
})

test('keeps no view of a response for its buckets', () => {
  const buckets = Array.from({ length: 2_000 }, (_, at) => at)
  const dependencies = {
    ...{ since: 1, wholly: [], throttled: [], window: null, throttledSince: 1 },
    exactly: [['logs', buckets] as const],
  }
  const validFor = { from: null, until: null, at: null }
  const serialized = serializePage({ dependencies, validFor, body: null })
  const read = deserializePage(serialized)
  serialized.fill(0)
  expect(Array.from(read?.dependencies.exactly[0]?.[1] ?? [])).toEqual(buckets)
})

test('bytes that end before their buckets do, or are no page, are none', () => {
  fc.assert(
    fc.property(pages, fc.nat(), (page, cut) => {
      const serialized = serializePage({ ...page, body: null })
      const read = deserializePage(serialized.subarray(0, cut % serialized.length))
      expect(read).toBeNull()
    }),
  )
  expect(deserializePage(Buffer.from('x'))).toBeNull()
})
