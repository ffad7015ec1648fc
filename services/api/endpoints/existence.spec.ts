import { describe, expect, it, test } from 'vitest'
import { runOnStore } from '../rows/run-question.ts'
import { linkedRows } from '../testing/linked-rows.ts'
import { oneRowStore } from '../testing/one-row-store.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'
import { stories } from './testing/stories.ts'
import type { Story } from './testing/story.ts'

// A flush writes the rows of a subject, then what proves that it exists, and is announced later. It
// may land between any two queries of a page, which then has to have all rows or be a 404.

type Scene = NonNullable<Story['flush']>

const scenes = stories.flatMap(({ flush }) => (flush === undefined ? [] : [flush]))

test('knows lists that another table proves', () => expect(scenes.length).toBeGreaterThan(2))

/** An API on tables into which a flush writes each table once so many queries were answered. */
function apiDuringFlush({ tables, group }: Scene, writtenAfter: readonly number[]) {
  const rows: Record<string, readonly object[]> = { ...linkedRows }
  for (const name of tables) rows[name] = []
  const { store } = oneRowStore(rows)
  let answered = 0
  const write = () => {
    for (const [at, name] of tables.entries()) {
      if ((writtenAfter[at] ?? 0) <= answered) rows[name] = linkedRows[name]
    }
  }
  write()
  const query: typeof store.query = async (...sent) => {
    const result = await store.query(...sent)
    answered += 1
    write()
    return result
  }
  const api = testApi(runOnStore({ ...store, query }))
  const announceAll = (at: number) => {
    if (at > 1) answered = Number.POSITIVE_INFINITY
    write()
    for (const each of ['ledger', 'state'] as const) {
      api.announce(each, at, at > 1 ? { moved: 'everything' } : {})
    }
  }
  announceAll(1)
  return { ...api, group, announceAll }
}

/** Times of `count` writes, in their order. */
function* schedules(count: number, from = 0): Generator<readonly number[]> {
  if (count === 0) yield []
  else {
    for (let first = from; first <= 5; first++) {
      for (const rest of schedules(count - 1, first)) yield [first, ...rest]
    }
  }
}

describe.each(scenes)('$path', (scene) => {
  it('is never an empty list of a subject that has rows, whenever a flush writes them', async () => {
    for (const schedule of schedules(scene.tables.length)) {
      const { ask, announceAll } = apiDuringFlush(scene, schedule)
      const countsIn = async () => {
        const response = await ask(scene.path)
        return response.status === 404 ? [404] : scene.countsOf(bodyOf(response))
      }
      const isWhole = (counts: readonly number[]) => counts.every((count) => count > 0)
      expect(await countsIn(), `during ${schedule}`).toSatisfy(isWhole)
      expect(await countsIn(), `cached ${schedule}`).toSatisfy(isWhole)
      announceAll(2)
      const after = await countsIn()
      expect(after.includes(404), `after ${schedule}`).toBe(false)
      expect(after).toSatisfy(isWhole)
    }
  })

  it('is an empty list, or a 404, of a subject without rows', async () => {
    const never = scene.tables.map(() => 99)
    expect((await apiDuringFlush(scene, never).ask(scene.path)).status).toBe(404)
    const onlyKnown = [...never.slice(1), 0]
    const response = await apiDuringFlush(scene, onlyKnown).ask(scene.path)
    expect(response.status).toBe(200)
    expect(new Set(scene.countsOf(bodyOf(response)))).toEqual(new Set([0]))
  })

  it('is shared by requests that come at once', async () => {
    for (const schedule of schedules(scene.tables.length)) {
      const { ask } = apiDuringFlush(scene, schedule)
      const sizes = [1, 2, 3, 4].map(
        (size) => `${scene.path}${scene.path.includes('?') ? '&' : '?'}items_count=${size}`,
      )
      for (const response of await Promise.all(sizes.map((path) => ask(path)))) {
        if (response.status === 404) continue
        for (const count of scene.countsOf(bodyOf(response))) expect(count).toBeGreaterThan(0)
      }
    }
  })
})
