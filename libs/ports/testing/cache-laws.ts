import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { Cache, CacheEntry } from '../cache.ts'

export interface CacheBed {
  readonly cache: () => Cache
  /** Larger entries are not kept. */
  readonly entryBytesMax: number
}

const entry = (text: string, position: number): CacheEntry => ({
  bytes: Buffer.from(text),
  position,
})

/** What every adapter of the port does. Keys of one law are not those of another. */
export function cacheLaws({ cache, entryBytesMax }: CacheBed): void {
  it('gives back what was set, bytes and position, in the order of the keys', async () => {
    const first = { bytes: Buffer.from([0, 255, 10, 13, 0]), position: 0 }
    const second = entry('', Number.MAX_SAFE_INTEGER)
    await cache().set([
      ['order/1', first],
      ['order/2', second],
    ])
    expect(await cache().get(['order/2', 'order/none', 'order/1', 'order/2'])).toEqual([
      second,
      undefined,
      first,
      second,
    ])
  })

  it('knows nothing of what nobody has set, and gives nothing for no keys', async () => {
    expect(await cache().get(['none/1', ''])).toEqual([undefined, undefined])
    expect(await cache().get([])).toEqual([])
    await cache().set([])
  })

  it('serves a thousand keys at once', async () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `many/${n}`)
    await cache().set(keys.map((key, n) => [key, entry(key, n)]))
    const found = await cache().get(keys)
    expect(found).toEqual(keys.map((key, n) => entry(key, n)))
  })

  it('keeps the entry of the higher position, whichever comes first', async () => {
    await cache().set([['higher/1', entry('new', 10)]])
    await cache().set([['higher/1', entry('old', 9)]])
    await cache().set([['higher/2', entry('old', 9)]])
    await cache().set([['higher/2', entry('new', 10)]])
    // As numbers, not as text; and within one call, too.
    await cache().set([
      ['higher/3', entry('new', 100)],
      ['higher/3', entry('old', 99)],
    ])
    const kept = await cache().get(['higher/1', 'higher/2', 'higher/3'])
    expect(kept).toEqual([entry('new', 10), entry('new', 10), entry('new', 100)])
  })

  it('takes the later of two entries of one position', async () => {
    await cache().set([['equal', entry('first', 7)]])
    await cache().set([['equal', entry('second', 7)]])
    expect(await cache().get(['equal'])).toEqual([entry('second', 7)])
  })

  it('does not keep an entry above its bound, and keeps those beside it', async () => {
    const atBound = Buffer.alloc(entryBytesMax, 1)
    await cache().set([
      ['bound/above', { bytes: Buffer.alloc(entryBytesMax + 1), position: 1 }],
      ['bound/at', { bytes: atBound, position: 1 }],
    ])
    const [above, at] = await cache().get(['bound/above', 'bound/at'])
    expect(above).toBeUndefined()
    expect(at?.bytes.equals(atBound)).toBe(true)
  })

  it('gives a lease to one owner until that one releases it', async () => {
    const lease = (key: string, owner: string) => cache().lease(`lease/${key}`, owner, 60_000)
    await cache().set([['lease/1', entry('a', 1)]])
    expect(await lease('1', 'one')).toBe('taken')
    expect(await lease('1', 'one')).toBe('held')
    expect(await lease('1', 'other')).toBe('held')
    expect(await cache().isLeased('lease/1')).toBe(true)
    expect(await cache().isLeased('lease/2')).toBe(false)
    expect(await lease('2', 'other')).toBe('taken')
    // Entries are read and written whoever has the lease.
    await cache().set([['lease/1', entry('b', 2)]])
    await cache().release('lease/1', 'other')
    expect(await cache().isLeased('lease/1')).toBe(true)
    await cache().release('lease/1', 'one')
    expect(await cache().isLeased('lease/1')).toBe(false)
    expect(await cache().get(['lease/1'])).toEqual([entry('b', 2)])
    expect(await lease('1', 'other')).toBe('taken')
    await cache().release('lease/none', 'one')
  })

  it('ends a lease when its time has passed, and its owner then releases that of no other', async () => {
    const lease = (owner: string, ms: number) => cache().lease('lease/short', owner, ms)
    expect(await lease('one', 20)).toBe('taken')
    await until('it is over', async () => (await lease('other', 60_000)) === 'taken')
    await cache().release('lease/short', 'one')
    expect(await lease('one', 60_000)).toBe('held')
  })

  it('holds nothing after it was cleared, and takes what comes then', async () => {
    await cache().set([['clear/1', entry('a', 5)]])
    await cache().clear()
    expect(await cache().get(['clear/1'])).toEqual([undefined])
    await cache().set([['clear/1', entry('b', 4)]])
    expect(await cache().get(['clear/1'])).toEqual([entry('b', 4)])
  })

  it('holds nothing that was being written when it was cleared', async () => {
    const keys = Array.from({ length: 8 }, (_, at) => `cleared/${at}`)
    const bytes = Buffer.alloc(entryBytesMax / 2, 'what takes a while to encode ')
    const written = cache().set(keys.map((key) => [key, { bytes, position: 1 }]))
    await cache().clear()
    await written
    expect(await cache().get(keys)).toEqual(keys.map(() => undefined))
  })
}
