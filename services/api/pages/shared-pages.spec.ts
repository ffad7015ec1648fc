import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Cache } from '../../../libs/ports/cache.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { leavingClient, slowApi, statusesOf, times, tokensOf } from '../testing/slow-api.ts'
import { testApi } from '../testing/test-api.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
afterEach(() => void vi.useRealTimers())
const forward = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A cache that other processes fill, and whose reads a test lets through. */
function heldCache() {
  const inner = memoryCache({ bytesMax: 1_000_000 })
  let held: Promise<void> = Promise.resolve()
  let open = () => {}
  const cache: Cache = {
    ...inner,
    async get(keys) {
      const entries = await inner.get(keys)
      await held
      return entries
    },
  }
  const hold = () => {
    held = new Promise((resolve) => {
      open = resolve
    })
  }
  return { cache, hold, letThrough: () => open() }
}

describe('pages in the cache that processes share', () => {
  it('are answered though no page can be loaded', async () => {
    const { cache } = heldCache()
    const other = testApi({ balancesOfAddress: async () => [] }, { cache })
    expect((await other.ask(tokensOf(1))).status).toBe(200)
    const { ask, begun, release } = slowApi({ loadsMax: 1, loadsWaitingMax: 0 }, cache)
    const running = ask(tokensOf(2))
    await forward(0)
    expect(begun()).toBe(1)
    expect((await ask(tokensOf(3))).status).toBe(503)
    expect((await ask(tokensOf(1))).status).toBe(200)
    release()
    expect((await running).status).toBe(200)
  })

  it('are not loaded from tables once all clients left before the cache answered', async () => {
    const { cache, hold, letThrough } = heldCache()
    const { ask, begun } = slowApi({}, cache)
    hold()
    const { onGone, leave } = leavingClient()
    const left = ask(tokensOf(1), { onGone })
    await forward(0)
    leave()
    expect((await left).status).toBe(499)
    letThrough()
    await forward(0)
    expect(begun()).toBe(0)
  })

  it('are queued for who joined while the cache was asked, if it has them not', async () => {
    const { cache, hold, letThrough } = heldCache()
    const { ask, release } = slowApi({ loadsMax: 1 }, cache)
    hold()
    const ended: string[] = []
    const asked = (at: number, by: string) =>
      ask(tokensOf(at), { client: by }).then(() => ended.push(`${by} ${at}`))
    const greedy = '203.0.113.1'
    const polite = '203.0.113.2'
    const all = [...times(6, (at) => asked(at, greedy)), asked(5, polite)]
    await forward(0)
    letThrough()
    await forward(0)
    release()
    await Promise.all(all)
    expect(ended.indexOf(`${polite} 5`)).toBeLessThan(ended.indexOf(`${greedy} 3`))
  })

  it.each([1, 20])(
    'are loaded for who joined meanwhile, though who asked first, %i times, is refused',
    async (requests) => {
      const { cache, hold, letThrough } = heldCache()
      const { ask, release } = slowApi({ loadsMax: 1, loadsWaitingMax: 4 }, cache)
      hold()
      const greedy = times(10, (at) => ask(tokensOf(at), { client: '203.0.113.1' }))
      const again = times(requests - 1, () => ask(tokensOf(9), { client: '203.0.113.1' }))
      const polite = ask(tokensOf(9), { client: '203.0.113.2' })
      await forward(0)
      letThrough()
      await forward(0)
      release()
      expect((await polite).status).toBe(200)
      const statuses = statusesOf(await Promise.all(greedy))
      // One is loaded, four wait, of which one gives way to that of the other client.
      expect(statuses.filter((status) => status === 503)).toHaveLength(5)
      expect(statusesOf(await Promise.all(again)).every((status) => status === 200)).toBe(true)
    },
  )
})
