import { describe, expect, it } from 'vitest'
import type { Address } from '../../libs/chain/hex.ts'
import { contract } from '../../libs/projections/testing/facts.ts'
import {
  changed,
  counted,
  filled,
  idsOf,
  openedQueue,
  restMs,
  seen,
  start,
  token,
} from './testing/opened-queue.ts'

const other = contract(2)

describe('the queue of NFTs', () => {
  it('has an NFT due once, however often blocks name it', async () => {
    const { queue, note, ids } = await openedQueue()
    await note(start, seen(1n), seen(1n))
    await note(start + 60_000, seen(1n))
    expect(await ids(start + 60_000)).toEqual([1n])
    expect([queue.waiting, queue.unfetched]).toEqual([1, 1])
  })

  it('survives a restart, with where reading of blocks continues', async () => {
    const { queue, volume } = await openedQueue()
    await queue.note([seen(1n)], { offset: 17, now: start, isLive: true })
    const again = await openedQueue({ volume })
    expect(idsOf(again.take(start))).toEqual([1n])
    expect([again.queue.offset, again.queue.waiting]).toEqual([17, 1])
  })

  it('has the place of what it noted in the last of several commits', async () => {
    const { queue, ids } = await openedQueue()
    const many = counted(0, 10).map((id) => seen(id))
    const noting = queue.note(many, { offset: 17, now: start, isLive: true })
    expect(queue.offset).toBeNull()
    await noting
    expect([queue.offset, (await ids(start)).length]).toEqual([17, 10])
  })

  it('is begun anew where another program kept another form', async () => {
    const { note, volume } = await openedQueue()
    await note(start, seen(1n))
    volume.entries.set(Buffer.from('p').toString('hex'), Buffer.from('{"format":0}'))
    const { queue, take } = await openedQueue({ volume })
    expect([queue.offset, queue.waiting, take(start)]).toEqual([null, 0, []])
  })

  it('gives an NFT to one taker, until it is settled or released', async () => {
    const { queue, note, take, settle } = await openedQueue()
    await note(start, seen(1n), seen(2n))
    const [first] = take(start, 1)
    const [second] = take(start)
    expect([first?.tokenId, second?.tokenId, take(start).length]).toEqual([1n, 2n, 0])
    expect(queue.takenCount).toBe(2)
    queue.release(second === undefined ? [] : [second])
    expect(idsOf(take(start))).toEqual([2n])
    await settle(first, { kind: 'put-off' }, start)
    expect(take(start + restMs - 1)).toEqual([])
    expect(idsOf(take(start + restMs))).toEqual([1n])
  })

  it('gives a contract a bounded number of places, and the others to others', async () => {
    const { note, take } = await openedQueue({ fetchesPerContractMax: 2 })
    await note(start, ...counted(0, 50).map((id) => seen(id)), seen(1n, other), seen(2n, other))
    const found = take(start, 10)
    const of = (it: Address) => found.filter((nft) => nft.token === it).length
    expect([of(token), of(other), take(start)]).toEqual([2, 2, []])
  })

  it('gives each contract its turn, however many another one has', async () => {
    const { queue, note, take, settle, tend } = await openedQueue({ fetchesPerContractMax: 1 })
    await note(start, ...counted(0, 8).map((id) => seen(id)))
    await note(start + 1, seen(1n, other), seen(2n, other))
    const order: boolean[] = []
    for (let now = start + 1; queue.waiting > 0; now += restMs) {
      const [nft] = take(now, 1)
      order.push(nft?.token === token)
      await settle(nft, filled, now)
      await tend(now)
    }
    expect(order.slice(0, 4)).toEqual([true, false, true, false])
    expect(order).toHaveLength(10)
  })

  it('has a contract rest as long as the longest of its attempts asks for', async () => {
    const { queue, note, take } = await openedQueue()
    await note(start, seen(1n), seen(2n), seen(3n))
    const [slow, fast] = take(start, 2)
    if (slow === undefined || fast === undefined) throw new Error('nothing was due')
    await queue.settle([{ nft: slow, outcome: filled, restMs: 60_000 }], start)
    await queue.settle([{ nft: fast, outcome: filled, restMs: 50 }], start + 1_000)
    expect(take(start + 59_999)).toEqual([])
    expect(idsOf(take(start + 60_000))).toEqual([3n])
  })

  it('comes back to a contract whose first one is due later', async () => {
    const { note, take, settle, tend } = await openedQueue()
    await note(start, seen(1n))
    await settle(take(start)[0], { kind: 'failed', nextAt: start + 60_000 }, start)
    await tend(start + 1_000)
    await note(start + 2_000, seen(2n))
    expect(idsOf(take(start + 2_000))).toEqual([2n])
    await tend(start + 60_000)
    expect(idsOf(take(start + 60_000))).toEqual([1n])
  })

  it('counts failures one after the other, and none after a success', async () => {
    const { queue, note, take, settle } = await openedQueue()
    await note(start, seen(1n))
    await settle(take(start)[0], { kind: 'failed', nextAt: start + 200 }, start)
    expect([queue.waiting, queue.unfetched]).toEqual([1, 0])
    await settle(take(start + 200)[0], { kind: 'failed', nextAt: start + 400 }, start + 200)
    const [twice] = take(start + 400)
    expect(twice).toMatchObject({ failures: 2, isFilled: false })
    await settle(twice, filled, start + 400)
    expect([take(start + 1e9), queue.waiting]).toEqual([[], 0])
    await note(start + 10_000, changed(1n))
    expect(take(start + 10_000)[0]).toMatchObject({ failures: 0, isFilled: true })
  })

  it('says for how long the next contract has waited', async () => {
    const { queue, note, fill, tend } = await openedQueue()
    expect(queue.delay(start)).toBe(0)
    await note(start, seen(1n))
    expect(queue.delay(start + 3_000)).toBe(3_000)
    await fill(start)
    await tend(start)
    expect(queue.delay(start + 3_000)).toBe(0)
  })

  it('takes the function of the newest form that a contract logs', async () => {
    const { queue, note, take } = await openedQueue()
    await note(start, seen(1n))
    await note(start, { kind: 'seen', token, tokenId: 1n, function: 'uri' })
    expect(take(start)).toMatchObject([{ tokenId: 1n, function: 'uri' }])
    expect(queue.waiting).toBe(1)
  })

  it('begins with what is published, so that it is not fetched twice', async () => {
    const { queue, note, ids } = await openedQueue()
    const record = { function: 'tokenURI', failures: 0, isFilled: true, dueAt: null } as const
    await queue.restore([{ token, tokenId: 1n, ...record, triedAt: start }])
    await note(start, seen(1n), seen(3n))
    expect(await ids(start)).toEqual([3n])
  })

  it.each([0, -5, 1.8e18])('keeps a time of others within what it can store: %d', async (time) => {
    const { queue, take, settle, tend } = await openedQueue()
    const record = { function: 'tokenURI', failures: 0, isFilled: true } as const
    await queue.restore([{ token, tokenId: 1n, ...record, dueAt: time, triedAt: time }])
    const [nft] = take(2 ** 48)
    await settle(nft, filled, start)
    await tend(start)
    expect([queue.waiting, take(2 ** 48)]).toEqual([0, []])
  })
})
