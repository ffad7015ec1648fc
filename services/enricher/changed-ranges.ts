import type { StateStore } from '../../libs/ports/state-store.ts'
import { storedTime } from './nft-record.ts'
import type { QueueDraft } from './queue-draft.ts'
import { type Ids, nftIn, nftKey, nftsOf } from './queue-keys.ts'
import type { ChangedNfts, NftKey } from './seen-nfts.ts'

/** In ms since 1970. */
export interface ChangeTime {
  readonly now: number
  /** What was fetched later than that is as it is now. */
  readonly changedAt: number
}

/**
 * A contract says that a range of its ids has changed: one write, whatever the number of ids. They
 * become due later, together with all that it says until then. What it says while they become due
 * is for the next time: else they would begin again and again.
 */
export function noteRange(
  draft: QueueDraft,
  { token, from, to }: Pick<ChangedNfts, 'token' | 'from' | 'to'>,
  { now, changedAt, pauseMs }: ChangeTime & { readonly pauseMs: number },
): void {
  const before = draft.range(token)
  const ids = { changedAt: storedTime(changedAt), from, to }
  if (before === null || before.dueAt === null) {
    const doneAt = before?.doneAt ?? null
    const dueAt = doneAt === null ? now : Math.max(now, doneAt + pauseMs)
    draft.putRange(token, { ...ids, doneAt, dueAt, next: null })
  } else if (before.dueAt <= now) {
    draft.putRange(token, { ...before, next: before.next === null ? ids : both(before.next, ids) })
  } else draft.putRange(token, { ...before, ...both(before, ids) })
}

const both = (one: Ids, other: Ids): Ids => ({
  changedAt: Math.max(one.changedAt, other.changedAt),
  from: (one.from < other.from ? one : other).from,
  to: (one.to > other.to ? one : other).to,
})

interface PieceOptions {
  readonly now: number
  readonly countMax: number
  /** Between two ranges of a contract. */
  readonly pauseMs: number
}

interface Piece {
  readonly nfts: readonly NftKey[]
  readonly changedAt: number
}

/** Known NFTs at the beginning of a contract's range, which from then on begins after them. */
export function takePiece(
  draft: QueueDraft,
  { token, state }: { readonly token: NftKey['token']; readonly state: StateStore },
  { now, countMax, pauseMs }: PieceOptions,
): Piece {
  const range = draft.range(token)
  if (range === null || range.dueAt === null) return { nfts: [], changedAt: 0 }
  const { from, to, changedAt } = range
  const keys = [...state.scan(nftsOf(token), countMax, nftKey({ token, tokenId: from }))]
  const nfts = keys.map(({ key }) => nftIn(key)).filter(({ tokenId }) => tokenId <= to)
  const last = nfts.at(-1)
  const isDone = last === undefined || nfts.length < countMax || last.tokenId === to
  if (!isDone) {
    // Behind those of other contracts.
    draft.putRange(token, { ...range, dueAt: now, from: last.tokenId + 1n })
  } else if (range.next === null) draft.putRange(token, { ...range, dueAt: null, doneAt: now })
  else draft.putRange(token, { ...range.next, dueAt: now + pauseMs, doneAt: now, next: null })
  return { nfts, changedAt }
}
