import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aBalance, anAddress, aToken } from '../../../libs/presenters/testing/rows.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'
import { routes } from './routes.ts'
import { stories } from './testing/stories.ts'
import { hostile } from './testing/story.ts'

/** Of `next_page_params` as a query, whatever the chain holds. */
const cursorCharactersMax = 1_000

const person = anAddress(0xa1)

/** As clients send a cursor back. */
const asQuery = (cursor: object): string =>
  new URLSearchParams(
    Object.entries(cursor).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()

const lists = stories.flatMap(({ route: { path }, pages }) =>
  pages === undefined ? [] : [{ path, target: path.replace(/\{\w+\}/, pages.subject), ...pages }],
)

test('knows every list that has pages', () => {
  const paged = routes.filter(({ parameters }) => 'items_count' in parameters.shape)
  expect(lists.map(({ path }) => path)).toEqual(paged.map(({ path }) => path))
})

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test.each(lists)(
  `gives cursors of $path that it accepts, short (seed ${seed})`,
  ({ target, filters, rows, place }) => {
    const followed = fc.asyncProperty(hostile, fc.constantFrom(...filters), async (of, filter) => {
      const asked: { after?: unknown }[] = []
      const { ask, announce } = testApi(recorded(rows(of), asked))
      announce('ledger', 1)
      announce('state', 1)
      const plain = { headers: { accept: '*/*' } }
      const first = bodyOf(await ask(`${target}?items_count=1&${filter}`, plain))
      const query = asQuery(cursorIn(first))
      expect(query.length).toBeLessThanOrEqual(cursorCharactersMax)
      const next = await ask(`${target}?${filter}&${query}`, plain)
      expect(next.status).toBe(200)
      expect(asked.at(-1)?.after).toMatchObject(place(of))
      // Contract 1: the keys alone name the same page.
      const beside = printed(asked.splice(0).at(-1))
      const alone = testApi(recorded(rows(of), asked))
      alone.announce('ledger', 1)
      alone.announce('state', 1)
      const other = await alone.ask(`${target}?${query}`, plain)
      expect(printed(asked.at(-1))).toBe(beside)
      expect(other.body.equals(next.body)).toBe(true)
    })
    return fc.assert(followed, { seed, numRuns: 60 })
  },
)

// Decision 57.
test.each([
  ['Gold', 'Gold'],
  ['😀'.repeat(512), '😀'.repeat(64)],
  [`${'a'.repeat(63)}😀b`, `${'a'.repeat(63)}😀`],
  [`a${'😀'.repeat(32)}${'b'.repeat(99)}`, `a${'😀'.repeat(32)}${'b'.repeat(31)}`],
  ['\ud83dx', '\ufffdx'],
])('cuts the name %s in a cursor after 64 code points, through none of them', async (said, cut) => {
  const { ask } = testApi({
    balancesOfAddress: async () => Array(2).fill(aBalance()),
    tokenStates: async (tokens) =>
      new Map(tokens.map((at) => [at, aToken({ token: at, name: said })])),
  })
  const body = bodyOf(await ask(`/api/v2/addresses/${person}/tokens?items_count=1`))
  expect(cursorIn(body)).toMatchObject({ token_name: cut })
})

function cursorIn(body: unknown): object {
  const cursor = body !== null && typeof body === 'object' && Reflect.get(body, 'next_page_params')
  if (!cursor) throw new Error('the page has no next one')
  return cursor
}

const printed = (asked: object | undefined): string =>
  JSON.stringify(asked, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

/** Notes what the list itself is asked for. */
function recorded(answers: Answers, asked: { after?: unknown }[]): Answers {
  const entries = Object.entries(answers).map(([called, answer]) => [
    called,
    (...args: readonly { after?: unknown }[]) => {
      if (args[0] !== undefined && 'after' in args[0]) asked.push(args[0])
      return Reflect.apply(answer, undefined, args)
    },
  ])
  return Object.fromEntries(entries)
}
