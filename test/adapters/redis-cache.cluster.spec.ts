import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRedis } from '../../libs/adapters/redis/redis-client.ts'
import { cacheLaws } from '../../libs/ports/testing/cache-laws.ts'
import { noCluster } from '../support/cluster.ts'
import { delayingProxy } from '../support/delaying-proxy.ts'
import { ownRedis } from '../support/own-redis.ts'
import { until } from '../support/until.ts'
import { type WatchedCache, watchedCache } from '../support/watched-cache.ts'

const entry = (text: string, position = 1) => ({ bytes: Buffer.from(text), position })

/** It is answered at once, because Redis is not asked. */
async function expectNotAsked(bed: WatchedCache, work: () => Promise<unknown>): Promise<void> {
  const [away, timedOut] = [await bed.failures('unavailable'), await bed.failures('timed-out')]
  await work()
  expect(await bed.failures('unavailable')).toBe(away + 1)
  expect(await bed.failures('timed-out')).toBe(timedOut)
}

const turn = <T>(value: T): Promise<T> =>
  new Promise((resolve) => setImmediate(() => resolve(value)))
const after = <T>(timeMs: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), timeMs))

/** Where time-outs are not what is looked at. */
const patient = { commandTimeoutMs: 10_000 }

/** Reads until the breaker has opened. */
const leftAlone = (bed: WatchedCache) =>
  until('it is left alone', async () => {
    await bed.cache.get(['a'])
    return (await bed.isAway()) === 1
  })

// Of our own: it is paused, killed and filled.
const redis = ownRedis()

describe.skipIf(noCluster)('a cache in Redis', () => {
  let bed: WatchedCache
  beforeAll(async () => {
    bed = watchedCache({ url: redis.url, prefix: 'laws:', limits: patient })
    await bed.used()
  })
  afterAll(() => bed.cache.close())

  cacheLaws({ cache: () => bed.cache, entryBytesMax: 1024 * 1024 })

  it('clears under its own prefix alone, and not whose it is', async () => {
    // As a pattern the prefix of this one would mean the other's.
    const wide = watchedCache({ url: redis.url, prefix: 'p*:', limits: patient })
    const other = watchedCache({ url: redis.url, prefix: 'pq:', limits: patient })
    await Promise.all([wide.used(), other.used()])
    await wide.cache.set([['a', entry('a')]])
    await other.cache.set([['a', entry('b')]])
    await wide.cache.clear()
    expect(await wide.cache.get(['a'])).toEqual([undefined])
    expect(await other.cache.get(['a'])).toEqual([entry('b')])
    expect(await redis.direct.get('p*:deployment')).toBe('ours')
    await Promise.all([wide.cache.close(), other.cache.close()])
  })

  it('gives every entry its time to live', async () => {
    const short = watchedCache({
      url: redis.url,
      prefix: 'short:',
      limits: { ...patient, entryTtlMs: 500 },
    })
    await short.used()
    await short.cache.set([['a', entry('a')]])
    expect(await redis.direct.pttl('short:ours:a')).toBeGreaterThan(0)
    await until('it is gone', async () => (await short.cache.get(['a']))[0] === undefined)
    await short.cache.close()
  })

  it('measures round trips by what they are for', async () => {
    const measured = watchedCache({ url: redis.url, prefix: 'm:', limits: patient })
    expect(await measured.roundTrips()).toEqual({ read: 0, write: 0, lease: 0 })
    await measured.used()
    await measured.cache.set([['a', entry('a')]])
    await measured.cache.get(['a'])
    await measured.cache.get(['a', 'b'])
    await measured.cache.lease('a', 'me', 1_000)
    expect(await measured.roundTrips()).toEqual({ read: 2, write: 1, lease: 1 })
    await measured.cache.close()
  })

  it('takes what another has written there for nothing, and counts it', async () => {
    await redis.direct.set('laws:ours:foreign', 'something else')
    await redis.direct.lpush('laws:ours:list', 'x')
    expect(await bed.cache.get(['foreign', 'list'])).toEqual([undefined, undefined])
    expect(await bed.failures('malformed')).toBe(1)
    await bed.cache.set([
      ['foreign', entry('ours')],
      ['list', entry('ours')],
    ])
    expect(await bed.cache.get(['foreign', 'list'])).toEqual([entry('ours'), undefined])
    expect(await bed.failures('refused')).toBe(1)
    expect(await bed.isAway()).toBe(0)
  })

  it('asks for no more at a time than its bounds, and counts what it left out', async () => {
    const few = watchedCache({
      url: redis.url,
      limits: {
        ...{ ...patient, readsGatheredMax: 1 },
        ...{ roundTripsInFlightMax: 2, bytesInFlightMax: 1_000 },
      },
    })
    await few.used()
    await few.cache.set([['a', entry('a')]])
    await few.cache.set([['large', entry('x'.repeat(1_000))]])
    expect(await few.failures('crowded')).toBe(1)
    const found = await Promise.all([1, 2, 3].map(() => few.cache.get(['a'])))
    expect(found).toEqual([[entry('a')], [entry('a')], [undefined]])
    expect(await few.failures('crowded')).toBe(2)
    expect(await few.cache.get(['large'])).toEqual([undefined])
    await few.cache.close()
  })

  it('reads what is wanted at once with few commands', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `gathered ${at}`)
    await bed.cache.set(names.map((name) => [name, entry(name)]))
    const commands = async () =>
      Number(/cmdstat_mget:calls=(\d+)/.exec(await redis.direct.info('commandstats'))?.[1] ?? 0)
    const before = await commands()
    const wanted = [...names, 'nowhere', ...names.slice(0, 5)]
    const read = await Promise.all(wanted.map((name) => bed.cache.get([name])))
    const known = (name: string) => (name === 'nowhere' ? undefined : entry(name))
    expect(read).toEqual(wanted.map((name) => [known(name)]))
    expect(await commands()).toBe(before + Math.ceil(wanted.length / 16))
  })

  it('keeps an entry though a flush took the scripts with the entries', async () => {
    await bed.cache.set([['script', entry('a')]])
    await redis.direct.script('FLUSH')
    await bed.cache.set([['script', entry('b', 2)]])
    expect(await bed.cache.get(['script'])).toEqual([entry('b', 2)])
  })
})

describe.skipIf(noCluster)('a Redis that is ill', () => {
  /** A server on a busy machine answers within this, one that is ill does not. */
  const commandTimeoutMs = 1_000
  const limits = {
    commandTimeoutMs,
    failuresMax: 3,
    failureWindowMs: 60_000,
    silenceMsMax: 60_000,
    pauseMsMin: 50,
    pauseMsMax: 400,
  }

  it('is left alone when it stops to answer, and used again when it does', async () => {
    const bed = watchedCache({ url: redis.url, limits })
    await bed.used()
    await bed.cache.set([['a', entry('a')]])
    await redis.server.pause()
    try {
      // Answered while the server still hangs.
      expect(await bed.cache.get(['a'])).toEqual([undefined])
      expect(await bed.failures('timed-out')).toBe(1)
      await leftAlone(bed)
      await expectNotAsked(bed, () => bed.cache.get(['a']))
      await expectNotAsked(bed, () => bed.cache.set([['b', entry('b')]]))
      expect(await bed.cache.get(['a'])).toEqual([undefined])
    } finally {
      await redis.server.resume()
    }
    await bed.used()
    expect(await bed.cache.get(['a', 'b'])).toEqual([entry('a'), undefined])
    expect(bed.loggedEvents()).toEqual(['cache.available', 'cache.unavailable', 'cache.available'])
    expect(bed.lines[1]?.sentence).toContain('no answer within 1000 ms')
    expect(await bed.failures('timed-out')).toBe(3)
    await bed.cache.close()
  })

  it('can be waited for: until it is used, or for a bound', async () => {
    const used = watchedCache({ url: redis.url, limits })
    expect(await used.cache.get(['a'])).toEqual([undefined])
    expect(await used.failures('unavailable')).toBe(1)
    expect(await used.cache.connected(10_000)).toBe(true)
    expect(await Promise.race([used.cache.connected(10_000), turn('waits')])).toBe(true)
    await used.cache.close()
    expect(await used.cache.connected(10_000)).toBe(false)
    const away = watchedCache({ url: 'redis://127.0.0.1:1', limits })
    const connected = away.cache.connected(200)
    expect(await Promise.race([connected, after(100, 'waits')])).toBe('waits')
    expect(await connected).toBe(false)
    expect(await away.cache.connected(1)).toBe(false)
    await away.cache.close()
  })

  it('is left alone at once when it is killed, and used when it is back', async () => {
    const bed = watchedCache({ url: redis.url, limits })
    await bed.used()
    await bed.cache.set([['a', entry('a')]])
    const asked = Promise.all(Array.from({ length: 50 }, () => bed.cache.get(['a'])))
    await redis.server.kill()
    await asked
    await until('it is left alone', async () => (await bed.isAway()) === 1)
    await expectNotAsked(bed, () => bed.cache.get(['a']))
    await redis.server.restart()
    await bed.used()
    expect(await bed.cache.get(['a'])).toEqual([undefined])
    await bed.cache.set([['a', entry('b')]])
    expect(await bed.cache.get(['a'])).toEqual([entry('b')])
    expect(bed.loggedEvents()).toEqual(['cache.available', 'cache.unavailable', 'cache.available'])
    await bed.cache.close()
  })

  it('gives no entry to another deployment, though the server forgot whose it is', async () => {
    const ours = watchedCache({ url: redis.url, prefix: 'shared:', limits })
    await ours.used()
    await ours.cache.set([['a', entry('a')]])
    await redis.direct.del('shared:deployment')
    const theirs = watchedCache({ url: redis.url, prefix: 'shared:', deployment: 'theirs', limits })
    await theirs.used()
    expect(await theirs.cache.get(['a'])).toEqual([undefined])
    await theirs.cache.set([['a', entry('b')]])
    expect(await ours.cache.get(['a'])).toEqual([entry('a')])
    await Promise.all([ours.cache.close(), theirs.cache.close()])
  })

  it('is not used once another deployment has taken it', async () => {
    const bed = watchedCache({ url: redis.url, prefix: 'taken:', limits })
    await bed.used()
    await redis.direct.set('taken:deployment', 'theirs')
    await redis.direct.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await until('it is logged', () =>
      bed.lines.some(({ fields }) => fields.kind === 'another-deployment'),
    )
    await bed.cache.set([['a', entry('a')]])
    expect(await redis.direct.exists('taken:ours:a')).toBe(0)
    await redis.direct.set('taken:deployment', 'ours')
    await bed.used()
    expect(bed.loggedEvents()).toEqual([
      'cache.available',
      'cache.unavailable',
      'cache.unavailable',
      'cache.available',
    ])
    await bed.cache.close()
  })

  it('is left alone while it is slow', async () => {
    const proxy = await delayingProxy(redis.server.address.port)
    const bed = watchedCache({ url: redis.through(proxy), limits })
    await bed.used()
    proxy.delay(commandTimeoutMs)
    await leftAlone(bed)
    await expectNotAsked(bed, () => bed.cache.get(['a']))
    proxy.delay(0)
    await bed.used()
    await bed.cache.close()
    await proxy.close()
  })

  it('is not blamed for a pause of our own', async () => {
    const bed = watchedCache({ url: redis.url, limits })
    await bed.used()
    await bed.cache.set([['a', entry('a')]])
    const found = bed.cache.get(['a'])
    const end = performance.now() + 1.5 * commandTimeoutMs
    while (performance.now() < end);
    expect(await found).toEqual([entry('a')])
    expect(await bed.failures('timed-out')).toBe(0)
    await bed.cache.close()
  })

  it('may be full: what is there can still be read', async () => {
    const bed = watchedCache({ url: redis.url, prefix: 'full:', limits })
    await bed.used()
    await bed.cache.set([['first', entry('a')]])
    await redis.direct.config('SET', 'maxmemory-policy', 'noeviction')
    await redis.direct.config('SET', 'maxmemory', '1')
    try {
      await bed.cache.set([['second', entry('b')]])
      expect(await bed.failures('refused')).toBe(1)
      expect(await bed.cache.get(['first', 'second'])).toEqual([entry('a'), undefined])
      expect(bed.loggedEvents()).toEqual(['cache.available'])
    } finally {
      await redis.direct.config('SET', 'maxmemory', '0')
    }
    await bed.cache.close()
  })
})

describe.skipIf(noCluster)('a look before the start', () => {
  const form = { prefix: 'start:', deployment: 'ours' }

  it('finds nothing wrong with a Redis that is ours', async () => {
    expect(await checkRedis({ ...form, url: redis.url })).toBeNull()
    expect(await checkRedis({ ...form, url: redis.url })).toBeNull()
  })

  it('reports that it holds the pages of another deployment', async () => {
    await checkRedis({ ...form, url: redis.url })
    const trouble = await checkRedis({ ...form, url: redis.url, deployment: 'theirs' })
    expect(trouble).toMatchObject({
      kind: 'another-deployment',
      message:
        `Redis at redis://127.0.0.1:${redis.server.address.port}/0 holds the pages of another deployment under 'start:': ` +
        'give this one a prefix or a database of its own',
    })
    expect(
      await checkRedis({ ...form, url: redis.url, prefix: 'mine:', deployment: 'theirs' }),
    ).toBeNull()
    expect(await checkRedis({ ...form, url: `${redis.url}/1`, deployment: 'theirs' })).toBeNull()
  })

  it('reports that user or password are wrong, and repeats neither', async () => {
    const at = `127.0.0.1:${redis.server.address.port}`
    for (const sign of ['', ':wrong-secret@', 'ann:wrong-secret@']) {
      const trouble = await checkRedis({ ...form, url: `redis://${sign}${at}/2` })
      expect(trouble).toMatchObject({
        kind: 'wrong-credentials',
        message: `Redis at redis://${at}/2 refuses the user or password: correct them in its address`,
      })
    }
    const bed = watchedCache({ url: `redis://:wrong-secret@${at}` })
    await until('it is logged', () => bed.lines.length > 0)
    expect(JSON.stringify(bed.lines)).not.toContain('secret')
    await bed.cache.close()
  })

  it('reports that nothing listens there', async () => {
    const closed = createServer()
    const nowhere = await listening(closed)
    await new Promise((resolve) => closed.close(resolve))
    const trouble = await checkRedis({ ...form, url: nowhere })
    expect(trouble?.kind).toBe('unreachable')
    expect(trouble?.message).toMatch(/cannot be reached \(.*ECONNREFUSED.*\): is it running\?$/)
  })

  it('names the URL scheme for a server without TLS', async () => {
    const trouble = await checkRedis({ ...form, url: redis.url.replace('redis:', 'rediss:') })
    expect(trouble?.message).toMatch(
      /cannot be reached \(.*\): is it running\? If it has no TLS, use redis:\/\/\.$/,
    )
  })

  it('reports that what listens there is no Redis', async () => {
    const web = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    const trouble = await checkRedis({ ...form, url: await listening(web) })
    expect(trouble?.kind).toBe('not-a-redis')
    web.close()
  })
})

function listening(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address !== 'object' || address === null) reject(new Error('no port'))
      else resolve(`redis://127.0.0.1:${address.port}`)
    })
  })
}
