import { MemoryVolume, memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { contract } from '../../../libs/projections/testing/facts.ts'
import { enricherLimits } from '../limits.ts'
import { type DueNft, NftQueue } from '../nft-queue.ts'
import type { AttemptEnd } from '../nft-record.ts'
import type { SeenNft } from '../seen-nfts.ts'

export const token = contract(1)
export const start = 1_700_000_000_000
export const restMs = 100
const bounds = { ...enricherLimits, refreshPauseMs: 5_000, changesPerCommitMax: 4 }
export const filled: AttemptEnd = { kind: 'filled' }

export const seen = (tokenId: bigint, of = token): SeenNft => ({
  kind: 'seen',
  token: of,
  tokenId,
  function: 'tokenURI',
})
/** In a block of the time, in ms. */
export const changed = (from: bigint, to = from, at = start): SeenNft => ({
  ...{ kind: 'changed', token, from, to },
  time: at / 1_000,
})
export const idsOf = (nfts: readonly DueNft[]) => nfts.map(({ tokenId }) => tokenId)
export const counted = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => BigInt(from + at))

/** A queue on a volume in memory, and what is done with it. */
export async function openedQueue({
  fetchesPerContractMax = 1_000,
  volume = new MemoryVolume(),
} = {}) {
  const state = memoryStateStore(volume)
  const limits = { ...bounds, fetchesPerContractMax }
  const queue = await NftQueue.open(state, limits)
  const note = (now: number, ...of: SeenNft[]) => queue.note(of, { offset: 1, now, isLive: true })
  const take = (now: number, countMax = 1_000) => queue.take(now, countMax)
  /** Without taking them. */
  const ids = async (now: number) => {
    const another = await NftQueue.open(state, limits)
    return idsOf(another.take(now, 1_000))
  }
  const settle = (nft: DueNft | undefined, outcome: AttemptEnd, now: number) => {
    if (nft === undefined) throw new Error('nothing was due')
    return queue.settle([{ nft, outcome, restMs }], now)
  }
  /** Until nothing is left to do. */
  const tend = async (now: number) => {
    for (let turns = 0; turns < 100; turns++) await queue.tend(now)
  }
  /** Takes all, and has them filled. */
  const fill = async (now: number) => {
    for (const nft of take(now)) await settle(nft, filled, now)
  }
  return { queue, volume, note, take, ids, settle, tend, fill }
}
