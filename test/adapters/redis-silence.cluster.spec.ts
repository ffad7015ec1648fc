import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { noCluster } from '../support/cluster.ts'
import { ownRedis } from '../support/own-redis.ts'
import { stallingProxy } from '../support/stalling-proxy.ts'
import { until } from '../support/until.ts'
import { watchedCache } from '../support/watched-cache.ts'

const entry = (text: string, position = 1) => ({ bytes: Buffer.from(text), position })
/** Random: it is not smaller compressed. */
const large = { bytes: randomBytes(600_000), position: 1 }

/** Far longer than a test: what is seen here does not come from it. */
const never = 60 * 60 * 1_000
const few = { commandTimeoutMs: 100, failuresMax: 1_000, pauseMsMin: 50, pauseMsMax: 400 }

// Of our own: it is paused, killed and filled.
const redis = ownRedis()

describe.skipIf(noCluster)('a Redis that hangs under little traffic', () => {
  it('is left though nobody asks it any more, and used again when it answers', async () => {
    const bed = watchedCache({
      url: redis.url,
      prefix: 'silent:',
      limits: { ...few, silenceMsMax: 300 },
    })
    await bed.used()
    await redis.server.pause()
    try {
      await bed.cache.set([['a', entry('a')]])
      await until('it is left', async () => (await bed.isAway()) === 1)
      expect(bed.lines.at(-1)?.sentence).toContain('no answer within 300 ms')
      expect(await bed.failures('timed-out')).toBe(1)
    } finally {
      await redis.server.resume()
    }
    await bed.used()
    await until('it takes entries again', async () => {
      await bed.cache.set([['b', entry('b')]])
      return (await bed.cache.get(['b']))[0] !== undefined
    })
    await bed.cache.close()
  })

  it('counts what it has not answered, though nobody waits for it: memory is bounded', async () => {
    const limits = { ...few, silenceMsMax: never, bytesInFlightMax: 1_000_000 }
    const bed = watchedCache({ url: redis.url, prefix: 'counted:', limits })
    await bed.used()
    await redis.server.pause()
    try {
      await bed.cache.set([['a', large]])
      expect(await bed.failures('timed-out')).toBe(1)
      await bed.cache.set([['b', large]])
      expect(await bed.failures('crowded')).toBe(1)
    } finally {
      await redis.server.resume()
    }
    await until('what was answered late counts no more', async () => {
      await bed.cache.set([['c', large]])
      return (await bed.cache.get(['c']))[0] !== undefined
    })
    await bed.cache.close()
  })

  it('counts nothing of a connection that was left', async () => {
    const limits = { ...few, silenceMsMax: 200, roundTripsInFlightMax: 1 }
    const bed = watchedCache({ url: redis.url, prefix: 'left:', limits })
    await bed.used()
    await redis.server.pause()
    try {
      await bed.cache.get(['a'])
      await bed.cache.get(['a'])
      expect(await bed.failures('crowded')).toBe(1)
      await until('it is left', async () => (await bed.isAway()) === 1)
    } finally {
      await redis.server.resume()
    }
    await bed.used()
    await until('it is asked again', async () => {
      await bed.cache.set([['a', entry('a')]])
      return (await bed.cache.get(['a']))[0] !== undefined
    })
    await bed.cache.close()
  })

  it('is not left for an answer that comes late', async () => {
    const bed = watchedCache({
      url: redis.url,
      prefix: 'late:',
      limits: { ...few, silenceMsMax: 30_000 },
    })
    await bed.used()
    const before = bed.loggedEvents()
    for (let at = 1; at <= 3; at++) {
      await redis.direct.client('PAUSE', 300)
      await until('it was late', async () => {
        await bed.cache.get(['a'])
        return (await bed.failures('timed-out')) >= at
      })
    }
    expect(bed.loggedEvents()).toEqual(before)
    await bed.cache.close()
  })
})

describe.skipIf(noCluster)('a cache that is cleared', () => {
  const prefix = 'cleared:'
  const keys = Array.from({ length: 400 }, (_, n) => `k${n}`)
  /** A busy machine must not be what ends a step. */
  const limits = { ...few, commandTimeoutMs: 2_000, silenceMsMax: never, keysMax: 20 }

  it.each([
    ['in the midst of it', 'scan', 4],
    ['at its first step', 'set', 1],
    ['at its last step', 'del', 1],
  ])('while Redis hangs %s gives nothing until it is whole', async (_where, command, nth) => {
    const whole = watchedCache({ url: redis.url, prefix, limits })
    await whole.used()
    await whole.cache.set(keys.map((key) => [key, entry(key)]))
    let seen = 0
    const isStalled = (bytes: Buffer) => bytes.includes(`${command}\r\n`) && ++seen === nth
    const proxy = await stallingProxy(redis.server.address.port, isStalled)
    const bed = watchedCache({ url: redis.through(proxy), prefix, limits })
    await bed.used()
    await bed.cache.clear()
    expect(proxy.stalled).toBe(1)
    expect(await bed.cache.get(['k399'])).toEqual([undefined])
    await until('it was done again on another connection', async () => {
      return (await redis.direct.keys(`${prefix}ours:*`)).length === 0
    })
    await bed.used()
    await until('it takes entries', async () => {
      await bed.cache.set([['new', entry('new')]])
      return (await bed.cache.get(['new']))[0] !== undefined
    })
    expect(await redis.direct.keys(`${prefix}clearing*`)).toEqual([])
    await Promise.all([bed.cache.close(), whole.cache.close(), proxy.close()])
  })

  it.each([
    ['asks whether another one was clearing', 'exists', false],
    ['finishes what another one was clearing', 'scan', true],
  ])('while it connects and %s is used once it is clear', async (_what, command, isMarked) => {
    const marker = `${prefix}clearing:ours`
    if (isMarked) await redis.direct.set(marker, '1')
    let clearing: Promise<void> | null = null
    const clear = (bytes: Buffer) => {
      if (bytes.includes(`${command}\r\n`)) clearing ??= bed.cache.clear()
      return false
    }
    const proxy = await stallingProxy(redis.server.address.port, clear)
    const bed = watchedCache({ url: redis.through(proxy), prefix, limits })
    await bed.used()
    expect(clearing).not.toBeNull()
    await bed.cache.set([['new', entry('new')]])
    expect(await bed.cache.get(['new'])).toEqual([entry('new')])
    expect(await redis.direct.keys(`${prefix}clearing*`)).toEqual([])
    await Promise.all([bed.cache.close(), proxy.close()])
  })

  it('by a process that ended in the midst of it is cleared by who connects next', async () => {
    const whole = watchedCache({ url: redis.url, prefix, limits })
    await whole.used()
    await whole.cache.set(keys.map((key) => [key, entry(key)]))
    const isStalled = (bytes: Buffer) => bytes.includes('unlink\r\n')
    const proxy = await stallingProxy(redis.server.address.port, isStalled)
    const ending = watchedCache({ url: redis.through(proxy), prefix, limits })
    await ending.used()
    await ending.cache.clear()
    await ending.cache.close()
    expect((await redis.direct.keys(`${prefix}ours:*`)).length).toBeGreaterThan(0)
    const next = watchedCache({ url: redis.url, prefix, limits })
    await next.used()
    expect(await redis.direct.keys(`${prefix}ours:*`)).toEqual([])
    expect(await redis.direct.keys(`${prefix}clearing*`)).toEqual([])
    await Promise.all([next.cache.close(), whole.cache.close(), proxy.close()])
  })
})
