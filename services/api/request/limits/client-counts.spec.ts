import { describe, expect, it } from 'vitest'
import type { LimitVerdict } from '../../response/limit-headers.ts'
import { ClientCounts, requestsPerBatch } from './client-counts.ts'
import { countingLaws } from './testing/counting-laws.ts'
import { CountsInMemory } from './testing/counts-in-memory.ts'

type Options = ConstructorParameters<typeof ClientCounts>[0]

const windowMs = 1_000

function bed() {
  const server = new CountsInMemory(windowMs)
  const signals = { together: 0, locally: 0 }
  const process = (options: Partial<Options> = {}) =>
    new ClientCounts({
      ...{ shared: server, windowMs, clientsMax: 10_000, now: () => server.nowMs },
      onSignal(signal, count) {
        signals[signal] += count
      },
      ...options,
    })
  return { server, process, signals }
}

const admittedOf = (verdicts: readonly LimitVerdict[]): number =>
  verdicts.filter(({ isAllowed }) => isAllowed).length

async function takeMany(one: ClientCounts, many: number, limit: number): Promise<LimitVerdict[]> {
  const verdicts: LimitVerdict[] = []
  for (let n = 0; n < many; n++) verdicts.push(await one.take('a', limit))
  return verdicts
}

/** Until what is on its way has arrived. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const shared = bed()

describe('processes that share counts in memory', () => {
  countingLaws({ process: shared.process })
})

describe('a window', () => {
  it('begins with the first request, and ends for all processes at once', async () => {
    const { server, process } = bed()
    const [one, other] = [process(), process()]
    for (let window = 0; window < 5; window++) {
      server.nowMs += 123
      await takeMany(one, 10, 10)
      await settled()
      server.nowMs += 400
      const late = await takeMany(other, 5, 10)
      await settled()
      expect(admittedOf(late)).toBeLessThanOrEqual(requestsPerBatch(10))
      expect(await other.take('a', 10)).toMatchObject({ isAllowed: false, resetMs: 600 })
      server.nowMs += 599
      expect(await one.take('a', 10)).toMatchObject({ isAllowed: false, resetMs: 1 })
      expect(await other.take('a', 10)).toMatchObject({ isAllowed: false, resetMs: 1 })
      server.nowMs += 1
    }
  })

  it('that ends while requests wait lets them into the next one', async () => {
    const { server, process } = bed()
    const one = process()
    const asked = Array.from({ length: 20 }, () => one.take('a', 10))
    server.nowMs += windowMs
    // The first one was admitted in the window before, and arrived in this one.
    expect(admittedOf(await Promise.all(asked))).toBe(10)
  })
})

describe('a process', () => {
  it('answers without a promise as long as no whole batch is on its way', async () => {
    const { server, process } = bed()
    const one = process()
    const batch = requestsPerBatch(1_000)
    for (let n = 0; n < batch; n++) {
      expect(one.take('a', 1_000)).toMatchObject({ isAllowed: true, remaining: 999 - n })
    }
    expect(one.take('a', 1_000)).toBeInstanceOf(Promise)
    await settled()
    expect(one.take('a', 1_000)).toMatchObject({ isAllowed: true })
    expect(server.roundTrips).toBeLessThanOrEqual(4)
  })

  it('that counts alone answers always without one', () => {
    const { server, process } = bed()
    const alone = process({ shared: null })
    for (let n = 0; n < 3; n++) {
      expect(alone.take('a', 2)).toMatchObject({ isAllowed: n < 2, remaining: Math.max(0, 1 - n) })
    }
    server.nowMs += windowMs
    expect(alone.take('a', 2)).toMatchObject({ isAllowed: true, remaining: 1 })
  })

  it('counts on alone while the server is away, and states that afterwards', async () => {
    const { server, process, signals } = bed()
    const [one, other] = [process(), process()]
    await takeMany(one, 4, 10)
    await settled()
    server.isAway = true
    expect(admittedOf(await takeMany(one, 20, 10))).toBe(6)
    expect(signals.locally).toBe(6)
    server.isAway = false
    await one.take('a', 11)
    await settled()
    await one.take('a', 11)
    await settled()
    await other.take('a', 11)
    await settled()
    expect(await other.take('a', 11)).toMatchObject({ isAllowed: false })
  })

  it('counts nothing twice whose answers come too late', async () => {
    const { server, process } = bed()
    const [one, other] = [process(), process()]
    server.isLate = true
    for (let n = 0; n < 25; n++) {
      await one.take('a', 100)
      await settled()
    }
    server.isLate = false
    expect(await other.take('a', 100)).toMatchObject({ isAllowed: true })
    await settled()
    expect(await other.take('a', 100)).toMatchObject({ remaining: 100 - 25 - 2 })
  })

  it('sends a batch at a time, as what has no answer is lost', async () => {
    const { server, process } = bed()
    const [one, other] = [process(), process()]
    server.isAway = true
    await takeMany(one, 40, 100)
    await settled()
    server.isAway = false
    await one.take('a', 100)
    for (let n = 0; n < 20; n++) await settled()
    expect(server.largest).toBe(requestsPerBatch(100))
    await other.take('a', 100)
    await settled()
    // The last one waits for another: that makes half a batch.
    expect(await other.take('a', 100)).toMatchObject({ remaining: 100 - 40 - 2 })
  })

  it('lets all that wait go on at once when the server fails', async () => {
    const { server, process } = bed()
    const one = process()
    const asked = Array.from({ length: 2_000 }, () => one.take('a', 300))
    server.isAway = true
    expect(admittedOf(await Promise.all(asked))).toBe(300)
    expect(server.roundTrips).toBeLessThan(10)
  })

  it('remembers what it has admitted when the server loses its data', async () => {
    const { server, process } = bed()
    const one = process()
    await takeMany(one, 8, 10)
    await settled()
    server.loseAll()
    expect(admittedOf(await takeMany(one, 20, 10))).toBe(2)
  })

  it('holds a bounded number of clients, and counts all others together', async () => {
    const { process, signals } = bed()
    const one = process({ clientsMax: 100 })
    for (let n = 0; n < 20_000; n++) void one.take(`client ${n}`, 5)
    await settled()
    expect(one.clients).toBeLessThanOrEqual(100 + 1_024)
    expect(signals.together).toBeGreaterThanOrEqual(19_900)
    expect(await one.take('client 7', 5)).toMatchObject({ isAllowed: true })
    expect(await one.take('client 19999', 5)).toMatchObject({ isAllowed: false })
  })

  it('forgets the clients whose windows are over', async () => {
    const { server, process } = bed()
    const one = process()
    for (let n = 0; n < 1_000; n++) void one.take(`client ${n}`, 5)
    await settled()
    expect(one.clients).toBe(1_000)
    server.nowMs += windowMs
    await one.take('a', 5)
    expect(one.clients).toBe(1)
  })

  it('applies another limit of a client at once', async () => {
    const { process } = bed()
    const one = process()
    await takeMany(one, 5, 5)
    expect(await one.take('a', 5)).toMatchObject({ isAllowed: false })
    expect(await one.take('a', 6)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(await one.take('a', 3)).toMatchObject({ isAllowed: false })
  })
})
