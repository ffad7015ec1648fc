import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLoop } from './open-loop.ts'

describe('an open loop', () => {
  let receivedFirst = 0
  let nextSent = 0
  const server = createServer((_, response) => {
    if (receivedFirst === 0) receivedFirst = nextSent
    response.end()
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void server.close())

  it('sends its first requests before it has begun all that are overdue', async () => {
    const statuses: number[] = []
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    await openLoop({
      port: address.port,
      // More than any machine sends: each request is overdue.
      perSecond: 1e6,
      seconds: 0.002,
      fraction: () => 0.5,
      next: () => ({ target: `/${nextSent++}` }),
      onResponse: (_, { status }) => statuses.push(status),
    })
    expect(statuses).toHaveLength(nextSent)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(nextSent).toBeGreaterThan(1_000)
    expect(receivedFirst).toBeLessThan(nextSent / 2)
  })
})
