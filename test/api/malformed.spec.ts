import { afterAll, beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../libs/presenters/endpoints.ts'
import { aBalance, anAddress, aToken } from '../../libs/presenters/testing/rows.ts'
import { malformedRequests } from './malformed-requests.ts'
import { served } from './served.ts'

const requestsCount = 10_000
const atOnce = 20

let api: Awaited<ReturnType<typeof served>>
beforeAll(async () => {
  api = await served({
    balancesOfAddress: async () => [aBalance()],
    tokenStates: async (tokens) => new Map(tokens.map((token) => [token, aToken({ token })])),
  })
})
afterAll(() => api.server.close())

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test(`answers ${requestsCount} malformed requests by the contract (seed ${seed})`, async () => {
  const next = malformedRequests(seed, endpoints)
  const statuses = new Map<number, number>()
  const askOne = async () => {
    const { target, method, headers } = next()
    const response = await fetch(api.origin + target, { method, headers }).catch((error) => {
      throw new Error(`no answer to ${method} ${target.slice(0, 200)}`, { cause: error })
    })
    const text = await response.text()
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status >= 500) throw new Error(`${status} to ${method} ${target.slice(0, 200)}: ${text}`)
    if (status >= 400 && method !== 'HEAD') expect(JSON.parse(text)).toHaveProperty('message')
  }
  for (let sent = 0; sent < requestsCount; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, askOne))
  }
  for (const status of [200, 204, 400, 405, 406, 414, 422]) {
    expect(statuses.get(status), `no request was answered by ${status}`).toBeGreaterThan(10)
  }
  const alive = await fetch(`${api.origin}/api/v2/addresses/${anAddress(1)}/tokens`)
  expect(alive.status).toBe(200)
}, 120_000)

// Below 64 KiB: the library answers 505 by itself to a first line that comes in several pieces.
test.each([
  ['10,000 parameters', `?${'a=1&'.repeat(10_000)}`, 414],
  ['a NUL byte', '?filter=to%00', 422],
  ['broken percent-encoding', '?filter=%', 422],
  ['half of a character', '?filter=%c3', 422],
  ['a name that is no name', '?%00=%ff&__proto__=1', 200],
])('answers a query with %s', async (_, query, status) => {
  const path = `/api/v2/addresses/${anAddress(1)}/transactions`
  expect((await fetch(api.origin + path + query)).status).toBe(status)
})
