import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { runLength } from '../support/run-length.ts'
import { privateMiB } from '../support/watch-memory.ts'
import { served } from './served.ts'

const script = fileURLToPath(new URL('./held-connections.ts', import.meta.url))
const page = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
const goodRequests = 50
/** Of this process for each connection, the test's own share included. */
const kibPerConnectionMax = 16
/** Of noise: a collection of garbage may or may not come. */
const slackMiB = 32

/** In a process of its own: one process may not have enough open files for both ends. */
function heldConnections(port: number, count: number, kind: 'idle' | 'bytes') {
  const child = fork(script, [String(port), String(count), kind], {
    execArgv: ['--import', 'tsx'],
  })
  return {
    /** How many are open at once. */
    open: async () => z.object({ open: z.number() }).parse((await once(child, 'message'))[0]).open,
    /** Resolves once the server has closed all of them. */
    closed: async () => (await once(child, 'message'))[0],
    end: () => child.kill(),
  }
}

/** The library closes who has sent no request for 8 to 12 s; nothing needs to be set. */
test.each([
  ['say nothing', 'idle', runLength.idleConnections],
  ['send a byte a second', 'bytes', runLength.slowConnections],
] as const)('connections that %s are closed, and others are answered', async (_, kind, count) => {
  const api = await served({ balancesOfAddress: async () => [] })
  const ask = async () => (await fetch(api.origin + page)).status
  expect(await ask()).toBe(200)
  const before = privateMiB(process.pid)
  const held = heldConnections(api.server.port, count, kind)
  try {
    // On a busy machine the first ones are closed before the last ones are open.
    expect(await held.open()).toBeGreaterThan(count / 2)
    const closed = held.closed()
    const statuses: number[] = []
    for (let request = 0; request < goodRequests; request++) statuses.push(await ask())
    expect(new Set(statuses)).toEqual(new Set([200]))
    const grownMiB = privateMiB(process.pid) - before
    expect(grownMiB, 'MiB').toBeLessThan(slackMiB + (count * kibPerConnectionMax) / 1_024)
    expect(await closed).toEqual({ received: '' })
    expect(await ask()).toBe(200)
  } finally {
    held.end()
    await api.server.close()
  }
})
