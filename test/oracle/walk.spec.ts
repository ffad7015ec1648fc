import { expect, test } from 'vitest'
import { differenceOf, differencesOf } from './compare.ts'
import { type Get, walk } from './walk.ts'

/** A list of numbers in pages, by the rules; `change` breaks one of them. */
function numbers(count: number, change: (shown: number[], after: number) => number[]): Get {
  return async (pathAndQuery) => {
    const query = new URL(pathAndQuery, 'http://walk').searchParams
    const size = Number(query.get('items_count') ?? 50)
    const after = Number(query.get('after') ?? 0)
    if (query.has('nothing') && !['', 'null'].includes(query.get('nothing') ?? 'x')) {
      return { status: 422, body: {} }
    }
    const rest = Array.from({ length: count - after }, (_, n) => after + n + 1)
    const items = change(rest.slice(0, size), after)
    const last = rest.length <= size
    const next = last ? null : { after: after + size, nothing: null, items_count: size }
    return { status: 200, body: { items, next_page_params: next } }
  }
}

const round = { seed: 1, nth: 0, last: 4 }
const whole = (shown: number[]) => shown
const question = { path: '/list', parameters: {}, itemsCount: 7 }

test.each(['null', 'empty', 'dropped'] as const)(
  'walks to the end with nulls as %s',
  async (form) => {
    const { items } = await walk(numbers(21, whole), { ...question, nullForms: [form] })
    expect(items).toEqual(Array.from({ length: 21 }, (_, n) => n + 1))
  },
)

test('asks for the default page when no size is given', async () => {
  const asked: string[] = []
  const get: Get = (at) => {
    asked.push(at)
    return numbers(60, whole)(at)
  }
  const { items } = await walk(get, { ...question, itemsCount: null, nullForms: ['null'] })
  expect(items).toHaveLength(60)
  expect(asked[0]).not.toContain('items_count')
})

test('breaks off after the wanted pages', async () => {
  const walked = await walk(numbers(21, whole), {
    ...question,
    nullForms: ['null'],
    pagesWanted: 2,
  })
  expect(walked.items).toEqual(Array.from({ length: 14 }, (_, n) => n + 1))
  expect(walked.isWhole).toBe(false)
})

test('refuses a short page before the last', async () => {
  const get = numbers(21, (shown, after) => (after === 7 ? shown.slice(1) : shown))
  await expect(walk(get, { ...question, nullForms: ['null'] })).rejects.toThrow('is short (6)')
})

test('refuses an empty page after others', async () => {
  const get = numbers(21, (shown, after) => (after === 14 ? [] : shown))
  await expect(walk(get, { ...question, nullForms: ['null'] })).rejects.toThrow('empty page')
})

test('refuses a page that is too long', async () => {
  const get = numbers(21, (shown) => [...shown, 0])
  await expect(walk(get, { ...question, nullForms: ['null'] })).rejects.toThrow('shows 8 items')
})

test('refuses a walk that does not end', async () => {
  const get: Get = async () => ({
    status: 200,
    body: { items: [1, 2, 3, 4, 5, 6, 7], next_page_params: { after: 1 } },
  })
  await expect(walk(get, { ...question, nullForms: ['null'] })).rejects.toThrow('does not end')
})

test('names the first item that differs, and forgives the order of equals only', () => {
  const rankOf = (fact: object) => ('value' in fact ? `${fact.value}` : '')
  const facts = [
    { value: 2, of: 'a' },
    { value: 2, of: 'b' },
    { value: 1, of: 'c' },
  ]
  const list = { path: '', parameters: {}, facts, factOf: () => ({}), rankOf }
  const [a = {}, b = {}, c = {}] = facts
  expect(differenceOf(list, [b, a, c])).toBeNull()
  expect(differenceOf(list, [a, c, b])).toContain('item 1 of 3')
  expect(differenceOf(list, [a, b])).toContain('item 2 of 3 (2 walked)')
  expect(differenceOf(list, [a, b, c, c])).toContain('item 3 of 3 (4 walked)')
})

test('finds what an api leaves out, shows twice or puts elsewhere', async () => {
  const list = {
    path: '/list',
    parameters: {},
    facts: Array.from({ length: 120 }, (_, n) => ({ n: n + 1 })),
    factOf: (item: unknown) => ({ n: item }),
    variant: null,
    isBusiest: true,
  }
  expect(await differencesOf(numbers(120, whole), list, round)).toEqual([])
  const broken = [
    (shown: number[]) => shown.map((n) => (n === 60 ? 61 : n)),
    (shown: number[]) => shown.toReversed(),
    (shown: number[], after: number) => (after > 0 ? shown.slice(1) : shown),
  ]
  for (const change of broken) {
    expect(await differencesOf(numbers(120, change), list, round)).not.toEqual([])
  }
  expect(await differencesOf(numbers(119, whole), list, round)).not.toEqual([])
})

test.each([
  ['by one only', (query: URLSearchParams) => query.get('items_count') === '1'],
  ['by seven only', (query: URLSearchParams) => query.get('items_count') === '7'],
  ['by fifty only', (query: URLSearchParams) => query.get('items_count') === '50'],
  ['where a null is sent empty', (query: URLSearchParams) => query.get('nothing') === ''],
  ['where a null is dropped', (query: URLSearchParams) => !query.has('nothing')],
])('finds what is wrong on later pages %s', async (_, isWrong) => {
  const facts = Array.from({ length: 120 }, (_, n) => ({ n: n + 1 }))
  const list = {
    path: '/list',
    parameters: {},
    facts,
    factOf: (item: unknown) => ({ n: item }),
    variant: null,
    isBusiest: true,
  }
  const right = numbers(120, whole)
  const wrong = numbers(120, (shown) => shown.map((n) => n + 1))
  const get: Get = (at) => {
    const query = new URL(at, 'http://walk').searchParams
    return query.has('after') && isWrong(query) ? wrong(at) : right(at)
  }
  expect(await differencesOf(get, list, round)).not.toEqual([])
})
