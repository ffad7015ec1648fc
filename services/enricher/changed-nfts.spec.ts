import { describe, expect, it } from 'vitest'
import { contract } from '../../libs/projections/testing/facts.ts'
import type { AttemptEnd } from './nft-record.ts'
import { changed, counted, filled, openedQueue, seen, start } from './testing/opened-queue.ts'

describe('an NFT that has changed', () => {
  it('is due again, but not soon after it was fetched', async () => {
    const { queue, note, fill, ids } = await openedQueue()
    await note(start, seen(1n))
    await fill(start)
    await note(start + 1, changed(1n), changed(1n))
    expect(await ids(start + 4_999)).toEqual([])
    expect(await ids(start + 5_000)).toEqual([1n])
    expect(queue.waiting).toBe(1)
  })

  it.each<[string, AttemptEnd]>([
    ['succeeds', filled],
    ['fails', { kind: 'failed', nextAt: start + 90_000 }],
  ])('while an attempt is made that %s is due again', async (_, outcome) => {
    const { note, take, settle, ids } = await openedQueue()
    await note(start, seen(1n))
    const [first] = take(start)
    await note(start + 1, changed(1n))
    await settle(first, outcome, start + 2)
    expect(await ids(start + 5_001)).toEqual([])
    expect(await ids(start + 5_002)).toEqual([1n])
  })

  it('while an attempt is settled is due again', async () => {
    const { note, take, settle, ids } = await openedQueue()
    await note(start, seen(1n))
    const [first] = take(start)
    await Promise.all([settle(first, filled, start + 2), note(start + 3, changed(1n))])
    expect(await ids(start + 5_002)).toEqual([1n])
  })

  it('that nobody was seen to have is not due', async () => {
    const { queue, note, tend, ids } = await openedQueue()
    await note(start, changed(1n), changed(0n, 9n))
    await tend(start + 60_000)
    expect([await ids(start + 60_000), queue.waiting]).toEqual([[], 0])
  })

  it('in a block of before its fetch, which is read late, is not due', async () => {
    const { queue, note, fill, tend, ids } = await openedQueue()
    await note(start, seen(1n), seen(2n))
    await fill(start)
    const late = { offset: 2, now: start + 10_000, isLive: false }
    await queue.note([changed(1n), changed(0n, 9n, start - 1_000)], late)
    await tend(start + 60_000)
    expect(await ids(start + 60_000)).toEqual([])
    await queue.note([changed(1n, 1n, start + 1_000)], late)
    expect(await ids(start + 60_000)).toEqual([1n])
  })
})

describe('a range that has changed', () => {
  it('has its known NFTs due again, however many there are, and no others', async () => {
    const { queue, note, fill, tend, ids } = await openedQueue()
    await note(start, ...counted(0, 30).map((id) => seen(id)))
    await fill(start)
    await note(start + 6_000, changed(11n, 22n))
    await tend(start + 6_000)
    expect(await ids(start + 6_000)).toEqual(counted(11, 23))
    expect(queue.waiting).toBe(12)
    await note(start + 6_001, changed(0n, 2n ** 256n - 1n))
    await tend(start + 11_000)
    expect(await ids(start + 11_000)).toEqual(expect.arrayContaining(counted(0, 30)))
  })

  it('is done once in a while, and then for all that it was said of', async () => {
    const { note, fill, tend, ids } = await openedQueue()
    await note(start, ...counted(0, 9).map((id) => seen(id)))
    await fill(start)
    await note(start + 6_000, changed(1n, 2n))
    await tend(start + 6_000)
    await fill(start + 6_000)
    await note(start + 7_000, changed(4n, 5n))
    await note(start + 8_000, changed(7n, 8n), changed(2n, 1n))
    await tend(start + 10_999)
    expect(await ids(start + 10_999)).toEqual([])
    await tend(start + 11_000)
    expect(await ids(start + 11_000)).toEqual(counted(4, 9))
  })

  it('comes to its end, though the contract says it again and again, and others have theirs', async () => {
    const { queue, note, fill, ids } = await openedQueue()
    await note(start, ...counted(0, 30).map((id) => seen(id)))
    await note(start, ...counted(100, 104).map((id) => seen(id, contract(2))))
    await fill(start)
    const all = changed(0n, 2n ** 256n - 1n)
    await note(start + 6_000, all)
    await note(start + 6_001, { ...all, token: contract(2) })
    for (let now = start + 6_001; now < start + 6_020; now++) {
      await queue.tend(now)
      await note(now, all)
    }
    const due = await ids(start + 6_100)
    expect(due.sort((one, other) => Number(one - other))).toEqual([
      ...counted(0, 30),
      ...counted(100, 104),
    ])
  })

  it('that came while another was done is done after the pause', async () => {
    const { queue, note, fill, tend, ids } = await openedQueue()
    await note(start, ...counted(0, 9).map((id) => seen(id)))
    await fill(start)
    await note(start + 6_000, changed(0n, 8n))
    await queue.tend(start + 6_000)
    await fill(start + 6_000)
    await note(start + 6_001, changed(2n, 3n))
    await tend(start + 6_100)
    await fill(start + 6_100)
    await tend(start + 11_099)
    expect(await ids(start + 12_000)).toEqual([])
    await tend(start + 11_100)
    expect(await ids(start + 12_000)).toEqual([2n, 3n])
  })

  it('goes on after a restart in its midst', async () => {
    const { queue, volume, note, fill } = await openedQueue()
    await note(start, ...counted(0, 9).map((id) => seen(id)))
    await fill(start)
    await note(start + 6_000, changed(0n, 8n))
    await queue.tend(start + 6_000)
    const again = await openedQueue({ volume })
    await again.tend(start + 6_000)
    expect(await again.ids(start + 6_000)).toEqual(counted(0, 9))
  })
})
