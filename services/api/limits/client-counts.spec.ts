import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LeaseListener } from '../../../libs/ports/shared-counts.ts'
import { ClientCounts, type ClientCountsOptions } from './client-counts.ts'
import type { LimitVerdict } from './limit-verdict.ts'
import { countingLaws } from './testing/counting-laws.ts'
import { CountsInMemory } from './testing/counts-in-memory.ts'

let processes = 0

function bed() {
  const server = new CountsInMemory()
  const clock = { monotonicMs: () => server.nowMs - 500_000, wallMs: () => server.nowMs + 7_777 }
  const signals = { together: 0, locally: 0 }
  const process = (options: Partial<ClientCountsOptions> = {}) =>
    new ClientCounts({
      shared: server.ofProcess(`p${processes++}`),
      windowMs: 1_000,
      clientsMax: 10_000,
      clock,
      onSignal(signal, count) {
        signals[signal] += count
      },
      ...options,
    })
  return { server, process, signals }
}

const shared = bed()

describe('processes that share counts in memory', () => {
  countingLaws({ process: shared.process })
})

describe('a window', () => {
  it('gives every client its whole limit again when it ends, and not before', async () => {
    const { server, process } = bed()
    const [one, other] = [process(), process()]
    for (let window = 0; window < 5; window++) {
      const admitted: LimitVerdict[] = []
      for (let n = 0; n < 30; n++) {
        for (const each of [one, other]) admitted.push(await each.take('a', 10))
        if (n === 20) server.nowMs += 999
      }
      expect(admitted.filter(({ isAllowed }) => isAllowed).length).toBe(10)
      expect(new Set(admitted.map(({ window: number }) => number)).size).toBe(1)
      expect(admitted.at(-1)).toMatchObject({ resetMs: 1 })
      server.nowMs += 1
    }
  })

  it('ends by the clock of the server, not by that of the process', async () => {
    const { server, process } = bed()
    const wallMs = () => 123
    const late = process({ clock: { monotonicMs: () => server.nowMs * 1.001, wallMs } })
    expect(await late.take('a', 1)).toMatchObject({ isAllowed: true })
    server.nowMs += 999.5
    // Its own clock says that the window is over, the server says that it is not.
    expect(await late.take('a', 1)).toMatchObject({ isAllowed: false })
    server.nowMs += 0.5
    expect(await late.take('a', 1)).toMatchObject({ isAllowed: true })
  })

  it('that ends while requests wait lets them into the next one', async () => {
    const { server, process } = bed()
    const [one, other] = [process(), process()]
    await Promise.all(Array.from({ length: 10 }, () => one.take('a', 10)))
    await other.take('b', 10)
    const asked = Array.from({ length: 5 }, () => other.take('a', 10))
    server.nowMs += 1_000
    const admitted = await Promise.all(asked)
    expect(admitted.every(({ isAllowed }) => isAllowed)).toBe(true)
  })
})

describe('a process', () => {
  it('answers without a promise while its lease lasts', async () => {
    const { process } = bed()
    const one = process()
    const first = one.take('a', 100)
    expect(first).toBeInstanceOf(Promise)
    expect(await first).toMatchObject({ remaining: 99 })
    for (let n = 1; n < 25; n++) {
      expect(one.take('a', 100)).toMatchObject({ isAllowed: true, remaining: 99 - n })
    }
    expect(one.take('a', 100)).toBeInstanceOf(Promise)
  })

  it('that counts alone answers always without one', () => {
    const { server, process } = bed()
    const alone = process({ shared: null })
    for (let n = 0; n < 3; n++) {
      expect(alone.take('a', 2)).toMatchObject({ isAllowed: n < 2, remaining: Math.max(0, 1 - n) })
    }
    server.nowMs += 1_000
    expect(alone.take('a', 2)).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  it('counts on alone while the server is away, with what it had admitted', async () => {
    const { server, process, signals } = bed()
    const [one, other] = [process(), process()]
    for (let n = 0; n < 4; n++) await one.take('a', 10)
    server.isAway = true
    const admitted = []
    for (let n = 0; n < 20; n++) admitted.push(await one.take('a', 10))
    expect(admitted.filter(({ isAllowed }) => isAllowed).length).toBe(6)
    expect(signals.locally).toBeGreaterThan(0)
    // Back: it states what it has admitted, and nothing is left for others.
    server.isAway = false
    expect(await one.take('a', 11)).toMatchObject({ isAllowed: true })
    expect(await other.take('a', 11)).toMatchObject({ isAllowed: false })
  })

  it('holds a bounded number of clients, and counts all others together', async () => {
    const { process, signals } = bed()
    const one = process({ clientsMax: 100 })
    for (let n = 0; n < 20_000; n++) void one.take(`client ${n}`, 5)
    await Promise.resolve()
    expect(one.clients).toBeLessThanOrEqual(100 + 1_024)
    expect(signals.together).toBe(19_900)
    expect(await one.take('client 7', 5)).toMatchObject({ isAllowed: true })
    expect(await one.take('client 19999', 5)).toMatchObject({ isAllowed: false })
  })

  it('forgets the clients of earlier windows', async () => {
    const { server, process } = bed()
    const one = process()
    for (let n = 0; n < 1_000; n++) await one.take(`client ${n}`, 5)
    expect(one.clients).toBe(1_000)
    server.nowMs += 1_000
    await one.take('a', 5)
    expect(one.clients).toBe(1)
  })

  it('applies another limit of a client at once', async () => {
    const { process } = bed()
    const one = process()
    for (let n = 0; n < 5; n++) await one.take('a', 5)
    expect(await one.take('a', 5)).toMatchObject({ isAllowed: false })
    expect(await one.take('a', 6)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await one.take('a', 3)).toMatchObject({ isAllowed: false })
  })

  it('that ended with unused requests costs others these, and a bounded time', async () => {
    const { server, process } = bed()
    const lost = server.ofProcess('lost')
    await lost.lease({
      window: 0,
      windowMs: 1_000,
      asks: [{ client: 'a', limit: 20, used: 0, wanted: 1, isReturn: false }],
    })
    const one = process()
    const admitted = []
    for (let n = 0; n < 30; n++) admitted.push(await one.take('a', 20))
    expect(admitted.filter(({ isAllowed }) => isAllowed).length).toBe(15)
  })

  it('that waited for requests held elsewhere charges the next window with none', async () => {
    vi.useFakeTimers()
    const { server, process } = bed()
    const announcements: (() => void)[] = []
    const slow = server.ofProcess('slow')
    const listen = ({ recalled, returned }: LeaseListener) =>
      slow.listen({
        recalled: (client, window) => void announcements.push(() => recalled(client, window)),
        returned,
      })
    server.nowMs = 1_000_960
    const [one, other] = [process(), process({ shared: { ...slow, listen } })]
    await other.take('a', 10)
    for (let n = 0; n < 7; n++) await one.take('a', 10)
    // The last is left, one more is held by the other, and a third request comes meanwhile.
    const last = [one.take('a', 10), one.take('a', 10)]
    await Promise.resolve()
    last.push(one.take('a', 10))
    await vi.advanceTimersByTimeAsync(0)
    for (const announce of announcements) announce()
    await vi.advanceTimersByTimeAsync(0)
    const allowed = (await Promise.all(last)).filter(({ isAllowed }) => isAllowed)
    expect(allowed).toHaveLength(2)
    server.nowMs = 1_001_005
    await one.take('b', 10)
    await vi.advanceTimersByTimeAsync(60)
    const admitted = []
    for (let n = 0; n < 11; n++) admitted.push(await other.take('a', 10))
    expect(admitted.filter(({ isAllowed }) => isAllowed)).toHaveLength(10)
  })
})

afterEach(() => void vi.useRealTimers())
