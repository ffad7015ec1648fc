import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { checkDeclared } from '../../libs/presenters/testing/declared.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { testSeed } from '../support/seed.ts'
import { embeddedOnSocket } from './embedded-on-socket.ts'
import { malformedRequests } from './malformed-requests.ts'

const requestsCount = 10_000
const atOnce = 20
/** Thousands of them are questions to the engine, and the machine may be busy with other things. */
const timeoutMs = 400_000

let api: Awaited<ReturnType<typeof embeddedOnSocket>>
beforeAll(async () => {
  api = await embeddedOnSocket([17_686_110, 17_686_111])
}, timeoutMs)
afterAll(() => api.stop())

const seed = testSeed

const fault = z.strictObject({
  title: z.literal('Invalid value'),
  source: z.strictObject({ pointer: z.string() }),
  detail: z.string(),
})
const errorShape = z.strictObject({
  message: z.string().min(1),
  errors: z.array(fault).min(1).optional(),
})

/** How many items an answer shows; lists without pages are arrays. */
const items = z.union([
  z.array(z.unknown()).transform((list) => list.length),
  z.object({ items: z.array(z.unknown()) }).transform(({ items: list }) => list.length),
  z.unknown().transform(() => 1),
])

/** @returns whether it shows anything. @throws where it is neither what is declared nor an error */
function checkAnswer(path: string, status: number, text: string): boolean {
  const isBodiless = [204, 304].includes(status)
  if (isBodiless) expect(text).toBe('')
  if (isBodiless) return false
  // Dots lead to the root, which is the status page, also as `//` (seed 665165956).
  if (/^\/+$/.test(path) && status === 200) {
    expect(text).toMatch(/^<!doctype html>/)
    return false
  }
  const body: unknown = JSON.parse(text)
  if (status === 200) checkDeclared(path, body)
  else errorShape.parse(body)
  return status === 200 && items.parse(body) > 0
}

test(
  `answers ${requestsCount} malformed requests by the contract, asked of real blocks (seed ${seed})`,
  async () => {
    const next = malformedRequests(seed, routes, api.subjects)
    const statuses = new Map<number, number>()
    let shown = 0
    const askOne = async () => {
      const { target, method, headers } = next()
      const what = `${method} ${target.slice(0, 300)}`
      const url = new URL(api.origin + target)
      const response = await fetch(url, { method, headers, redirect: 'manual' }).catch((error) => {
        throw new Error(`no answer to ${what}`, { cause: error })
      })
      const text = await response.text()
      const { status } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) throw new Error(`${status} to ${what}: ${text}`)
      try {
        if (method === 'HEAD') expect(text).toBe('')
        else if (checkAnswer(url.pathname, status, text)) shown += 1
      } catch (error) {
        throw new Error(`${status} to ${what}: ${text.slice(0, 300)}`, { cause: error })
      }
    }
    for (let sent = 0; sent < requestsCount; sent += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, askOne))
    }
    for (const status of [200, 204, 400, 404, 405, 406, 414, 422]) {
      expect(statuses.get(status), `answered by ${status}`).toBeGreaterThan(10)
    }
    expect(shown, 'answers that show something').toBeGreaterThan(1_000)
    for (const address of api.subjects.addresses) {
      const alive = await fetch(`${api.origin}/api/v2/addresses/${address}/transactions`)
      expect(alive.status).toBe(200)
    }
  },
  timeoutMs,
)

// Below 16 KiB: the server answers 431 by itself to a larger head.
test.each([
  ['3,500 parameters', `?${'a=1&'.repeat(3_500)}`, 414],
  ['a NUL byte', '?filter=to%00', 422],
  ['broken percent-encoding', '?filter=%', 422],
  ['half of a character', '?filter=%c3', 422],
  ['a name that is no name', '?%00=%ff&__proto__=1', 200],
])('answers a query with %s', async (_, query, status) => {
  const [address] = api.subjects.addresses
  const path = `/api/v2/addresses/${address}/transactions`
  expect((await fetch(api.origin + path + query)).status).toBe(status)
})
