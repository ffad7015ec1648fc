import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { position } from '../../chain/position.ts'
import { ResultTooLarge } from '../../ports/store.ts'
import { countWithin, pageSize, ReadLimitExceeded } from './read-limits.ts'
import { type ListSource, readList, unfiltered } from './read-list.ts'
import { type Conflict, conflicts } from './versions.ts'

interface Row {
  /** What the cursor can tell apart. */
  readonly place: number
  /** Told apart by the key alone. */
  readonly fork: number
  readonly content: string
  readonly position: ReturnType<typeof position>
  readonly isDeleted: number
}

const row = (place: number, at: number, more: Partial<Row> = {}): Row => ({
  place,
  fork: 0,
  content: `${place}/${at}`,
  position: position(at),
  isDeleted: 0,
  ...more,
})

const table = { name: 'things', keyOf: ({ place, fork }: Row) => `${place}|${fork}` }

/** A store of one list: versions of a key lie in any order, as in parts that are not merged. */
function listOf(rows: readonly Row[], fetchRowsMax = 64) {
  const stored = rows.toSorted((one, other) => one.place - other.place || one.fork - other.fork)
  const fetches: number[] = []
  const beyond = (last: Row | null) => stored.filter((some) => !last || some.place > last.place)
  const source: ListSource<Row> = {
    table,
    cursorKey: ({ place }) => String(place),
    fetchRowsMax,
    fetch: async (last, rowsMax) => {
      fetches.push(rowsMax)
      return beyond(last).slice(0, rowsMax)
    },
  }
  const skipping: ListSource<Row>['skipping'] = {
    fetchRowsMax,
    fetch: async (last, rowsMax) =>
      beyond(last)
        .filter(({ isDeleted }) => isDeleted === 0)
        .slice(0, rowsMax),
    versionsOf: async (some) => {
      const keys = new Set(some.map(table.keyOf))
      return stored.filter((other) => keys.has(table.keyOf(other)))
    },
  }
  return { source, skipping, fetches }
}

const places = (rows: readonly Row[]) => rows.map(({ place }) => place)

describe('versions', () => {
  test('the highest position of a key wins, wherever it lies', async () => {
    const { source } = listOf([row(1, 5), row(1, 9), row(1, 7)])
    expect(await readList(source, 10, unfiltered)).toEqual([row(1, 9)])
  })

  test('a tombstone hides older versions and not newer ones', async () => {
    const dead = { isDeleted: 1 }
    const { source } = listOf([row(1, 5), row(1, 6, dead), row(2, 6, dead), row(2, 8)])
    expect(places(await readList(source, 10, unfiltered))).toEqual([2])
  })

  test('a row that was delivered twice is listed once', async () => {
    const { source } = listOf([row(1, 5), row(1, 5), row(2, 5)])
    expect(places(await readList(source, 10, unfiltered))).toEqual([1, 2])
  })

  test('equal position with different content is an alarm', async () => {
    const heard: unknown[] = []
    const hear = (message: unknown) => heard.push(message)
    conflicts.subscribe(hear)
    const { source } = listOf([row(1, 5), row(1, 5), row(1, 5, { content: 'other' })])
    await readList(source, 10, unfiltered)
    conflicts.unsubscribe(hear)
    const conflict: Conflict = { table: 'things', key: '1|0', position: 5 }
    expect(heard).toEqual([conflict])
  })
})

describe('bounds', () => {
  test('versions cut by the end of a fetch are seen before their row counts', async () => {
    // 17 rows are fetched first: the last one is an old version, its tombstone lies just beyond.
    const dead = Array.from({ length: 16 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { source, fetches } = listOf([...dead, row(16, 1), row(16, 2, { isDeleted: 1 })])
    expect(await readList(source, 1, unfiltered)).toEqual([])
    expect(fetches).toEqual([17, 64])
  })

  test('a page is full however many tombstones stand before it', async () => {
    const dead = Array.from({ length: 900 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { source } = listOf([...dead, row(1000, 1), row(1001, 1)])
    expect(places(await readList(source, 2, unfiltered))).toEqual([1000, 1001])
  })

  test('beyond its bound a reading throws and never gives a short page', async () => {
    const dead = Array.from({ length: 3000 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { source } = listOf([...dead, row(5000, 1)])
    await expect(readList(source, 1, unfiltered)).rejects.toThrow(ReadLimitExceeded)
  })

  test('a place with more versions than a fetch can hold throws', async () => {
    const versions = Array.from({ length: 70 }, (_, at) => row(1, at))
    const { source } = listOf([...versions, row(2, 1)])
    await expect(readList(source, 1, unfiltered)).rejects.toThrow(ReadLimitExceeded)
  })

  test('tombstones that would bury a list are stepped over', async () => {
    const dead = Array.from({ length: 3000 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const stale = [row(4000, 1), row(4000, 2, { isDeleted: 1 })]
    const { source, skipping } = listOf([...dead, ...stale, row(5000, 1)])
    expect(places(await readList({ ...source, skipping }, 1, unfiltered))).toEqual([5000])
  })

  test('what is left out when rows are completed does not count', async () => {
    const { source } = listOf(Array.from({ length: 500 }, (_, at) => row(at, 1)))
    const even = async (rows: readonly Row[]) => rows.filter(({ place }) => place % 100 === 0)
    expect(places(await readList(source, 3, even))).toEqual([0, 100, 200])
  })
})

test('any page of any list equals the list computed whole', async () => {
  const version = fc.record({
    place: fc.nat(40),
    fork: fc.nat(1),
    at: fc.nat(30),
    isDeleted: fc.constantFrom(0, 0, 1),
  })
  const versions = fc.array(version, { maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(versions, fc.nat(20), fc.boolean(), async (list, limit, canSkip) => {
      const unique = new Map(list.map((one) => [`${one.place}|${one.fork}|${one.at}`, one]))
      const rows = [...unique.values()].map(({ place, at, ...more }) => row(place, at, more))
      const newestByKey = new Map<string, Row>()
      for (const some of rows) {
        const other = newestByKey.get(table.keyOf(some))
        if (!other || other.position < some.position) newestByKey.set(table.keyOf(some), some)
      }
      const expected = [...newestByKey.values()]
        .filter(({ isDeleted }) => isDeleted === 0)
        .sort((one, other) => one.place - other.place || one.fork - other.fork)
      const { source, skipping } = listOf(rows)
      const options = canSkip ? { ...source, skipping } : source
      expect(await readList(options, limit + 1, unfiltered)).toEqual(expected.slice(0, limit + 1))
    }),
  )
})

describe('rows of any length', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  const bytesMax = 100
  const bytesOf = ({ content }: Row) => content.length
  const long = fc.record({
    length: fc.oneof(fc.nat(10), fc.nat(60), fc.constantFrom(99, 100, 101, 1_000)),
    versions: fc.integer({ min: 1, max: 6 }),
    isGone: fc.nat(4).map((dice) => dice === 0),
  })

  /** A list whose results are refused where they are longer than a result may be. */
  function longList(rows: readonly Row[], resultMax: number) {
    const { source } = listOf(rows)
    const fetch: typeof source.fetch = async (last, rowsMax, bound) => {
      const fetched = await source.fetch(last, rowsMax, bound)
      const bytes = fetched.reduce((sum, row) => sum + bytesOf(row), 0)
      if (bytes > (bound > 4 * 1024 * 1024 ? Number.POSITIVE_INFINITY : resultMax)) {
        throw new ResultTooLarge()
      }
      return fetched
    }
    return { ...source, fetch }
  }

  test(`are each on one page, in their order, and no page is longer than it may be (seed ${seed})`, () => {
    const walked = fc.asyncProperty(
      fc.array(long, { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 50, max: 400 }),
      async (lengths, limit, resultMax) => {
        const rows = lengths.flatMap(({ length, versions, isGone }, place) =>
          Array.from({ length: versions }, (_, at) =>
            row(place, at, {
              content: 'x'.repeat(length),
              isDeleted: isGone && at === versions - 1 ? 1 : 0,
            }),
          ),
        )
        const list = longList(rows, resultMax)
        const seen: number[] = []
        let after: Row | null = null
        for (let more = true; more; ) {
          const from = after
          const fetch: typeof list.fetch = (last, ...options) =>
            list.fetch(last ?? from, ...options)
          const found = await readList(
            { ...list, fetch },
            pageSize(limit + 1, bytesOf, bytesMax),
            unfiltered,
          )
          const shown = found.slice(0, Math.min(limit, countWithin(found, bytesOf, bytesMax)))
          const bytes = shown.reduce((sum, one) => sum + bytesOf(one), 0)
          expect(bytes <= bytesMax || shown.length === 1).toBe(true)
          seen.push(...places(shown))
          more = found.length > shown.length
          expect(more && shown.length === 0).toBe(false)
          after = shown.at(-1) ?? after
        }
        expect(seen).toEqual(lengths.flatMap(({ isGone }, place) => (isGone ? [] : [place])))
      },
    )
    return fc.assert(walked, { seed, numRuns: 200 })
  })
})
