import { expect, test } from 'vitest'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { privateMiB } from '../support/watch-memory.ts'
import { heldConnections } from './held-connections-process.ts'
import { served } from './served.ts'

const page = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
const goodRequests = 50
/** Of noise: a collection of garbage may or may not come. Up to 5 MiB were seen. */
const slackMiB = 12
/** Since all were open; it takes 8 to 12 s, more on a busy machine. */
const closedWithinMs = 20_000

/**
 * The last column is the greatest growth of this process for each connection, KiB: 10,000 idle ones
 * take some 10 MiB, and a head that has not ended is held.
 *
 * The library closes who has sent no request for 8 to 12 s; nothing needs to be set.
 */
test.each([
  ['say nothing', 'idle', 10_000, 2],
  ['send a byte a second', 'bytes', 1_000, 2],
  ['send 15 kB of headers and no end', 'heads', 1_000, 20],
] as const)('connections that %s are closed, and others are answered', async (...given) => {
  const [, kind, count, kibPerConnectionMax] = given
  const api = await served({ balancesOfAddress: async () => [] })
  const ask = async () => (await fetch(api.origin + page)).status
  expect(await ask()).toBe(200)
  const before = privateMiB(process.pid)
  const held = heldConnections(api.server.port, count, kind)
  try {
    // On a busy machine the first ones are closed before the last ones are open.
    expect(await held.open()).toBeGreaterThan(count / 2)
    const openAt = performance.now()
    const closed = held.closed()
    const statuses: number[] = []
    for (let request = 0; request < goodRequests; request++) statuses.push(await ask())
    expect(new Set(statuses)).toEqual(new Set([200]))
    const grownMiB = privateMiB(process.pid) - before
    expect(grownMiB, 'MiB').toBeLessThan(slackMiB + (count * kibPerConnectionMax) / 1_024)
    expect(await closed).toEqual({ received: '' })
    expect(performance.now() - openAt, 'ms').toBeLessThan(closedWithinMs)
    expect(await ask()).toBe(200)
  } finally {
    held.end()
    await api.server.close()
  }
})
