import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { position } from '../chain/position.ts'
import { asRead, type Reading, read } from './reading.ts'
import { ReadingBound } from './reading-bound.ts'
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
  const reading: Reading<Row> = {
    table,
    placeOf: ({ place }) => String(place),
    fetchRowsMax,
    fetch: async (last, rowsMax) => {
      fetches.push(rowsMax)
      return beyond(last).slice(0, rowsMax)
    },
  }
  const skipping: Reading<Row>['skipping'] = {
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
  return { reading, skipping, fetches }
}

const places = (rows: readonly Row[]) => rows.map(({ place }) => place)

describe('versions', () => {
  test('the highest position of a key wins, wherever it lies', async () => {
    const { reading } = listOf([row(1, 5), row(1, 9), row(1, 7)])
    expect(await read(reading, 10, asRead)).toEqual([row(1, 9)])
  })

  test('a tombstone hides older versions and not newer ones', async () => {
    const dead = { isDeleted: 1 }
    const { reading } = listOf([row(1, 5), row(1, 6, dead), row(2, 6, dead), row(2, 8)])
    expect(places(await read(reading, 10, asRead))).toEqual([2])
  })

  test('a row that was delivered twice is listed once', async () => {
    const { reading } = listOf([row(1, 5), row(1, 5), row(2, 5)])
    expect(places(await read(reading, 10, asRead))).toEqual([1, 2])
  })

  test('equal position with different content is an alarm', async () => {
    const heard: unknown[] = []
    const hear = (message: unknown) => heard.push(message)
    conflicts.subscribe(hear)
    const { reading } = listOf([row(1, 5), row(1, 5), row(1, 5, { content: 'other' })])
    await read(reading, 10, asRead)
    conflicts.unsubscribe(hear)
    const conflict: Conflict = { table: 'things', key: '1|0', position: 5 }
    expect(heard).toEqual([conflict])
  })
})

describe('bounds', () => {
  test('versions cut by the end of a fetch are seen before their row counts', async () => {
    // 17 rows are fetched first: the last one is an old version, its tombstone lies just beyond.
    const dead = Array.from({ length: 16 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { reading, fetches } = listOf([...dead, row(16, 1), row(16, 2, { isDeleted: 1 })])
    expect(await read(reading, 1, asRead)).toEqual([])
    expect(fetches).toEqual([17, 64])
  })

  test('a page is full however many tombstones stand before it', async () => {
    const dead = Array.from({ length: 900 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { reading } = listOf([...dead, row(1000, 1), row(1001, 1)])
    expect(places(await read(reading, 2, asRead))).toEqual([1000, 1001])
  })

  test('beyond its bound a reading throws and never gives a short page', async () => {
    const dead = Array.from({ length: 3000 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const { reading } = listOf([...dead, row(5000, 1)])
    await expect(read(reading, 1, asRead)).rejects.toThrow(ReadingBound)
  })

  test('a place with more versions than a fetch can hold throws', async () => {
    const versions = Array.from({ length: 70 }, (_, at) => row(1, at))
    const { reading } = listOf([...versions, row(2, 1)])
    await expect(read(reading, 1, asRead)).rejects.toThrow(ReadingBound)
  })

  test('tombstones that would bury a list are stepped over', async () => {
    const dead = Array.from({ length: 3000 }, (_, at) => row(at, 1, { isDeleted: 1 }))
    const stale = [row(4000, 1), row(4000, 2, { isDeleted: 1 })]
    const { reading, skipping } = listOf([...dead, ...stale, row(5000, 1)])
    expect(places(await read({ ...reading, skipping }, 1, asRead))).toEqual([5000])
  })

  test('what is left out when rows are completed does not count', async () => {
    const { reading } = listOf(Array.from({ length: 500 }, (_, at) => row(at, 1)))
    const even = async (rows: readonly Row[]) => rows.filter(({ place }) => place % 100 === 0)
    expect(places(await read(reading, 3, even))).toEqual([0, 100, 200])
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
      const newest = new Map<string, Row>()
      for (const some of rows) {
        const other = newest.get(table.keyOf(some))
        if (!other || other.position < some.position) newest.set(table.keyOf(some), some)
      }
      const expected = [...newest.values()]
        .filter(({ isDeleted }) => isDeleted === 0)
        .sort((one, other) => one.place - other.place || one.fork - other.fork)
      const { reading, skipping } = listOf(rows)
      const asked = canSkip ? { ...reading, skipping } : reading
      expect(await read(asked, limit + 1, asRead)).toEqual(expected.slice(0, limit + 1))
    }),
  )
})
