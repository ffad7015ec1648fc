import type { StateStore } from '../../libs/ports/state-store.ts'
import { storedTime } from './nft-record.ts'
import type { QueueDraft } from './queue-draft.ts'
import { nftIn, nftKey, nftsOf } from './queue-keys.ts'
import type { ChangedNfts, NftKey } from './seen-nfts.ts'

/** In ms since 1970. */
export interface ChangeTime {
  readonly now: number
  /** What was fetched later than that is as it is now. */
  readonly changedAt: number
}

/**
 * A contract says that a range of its ids has changed: one write, whatever the number of ids. They
 * become due later, together with all that it says until then.
 */
export function noteRange(
  draft: QueueDraft,
  { token, from, to }: Pick<ChangedNfts, 'token' | 'from' | 'to'>,
  { now, changedAt, pauseMs }: ChangeTime & { readonly pauseMs: number },
): void {
  const before = draft.range(token)
  const doneAt = before?.doneAt ?? null
  const range = { doneAt, changedAt: storedTime(changedAt), from, to }
  if (before === null || before.dueAt === null) {
    draft.putRange(token, { ...range, dueAt: Math.max(now, (doneAt ?? -pauseMs) + pauseMs) })
    return
  }
  draft.putRange(token, {
    ...range,
    dueAt: before.dueAt,
    changedAt: Math.max(before.changedAt, range.changedAt),
    from: before.from < from ? before.from : from,
    to: before.to > to ? before.to : to,
  })
}

interface Piece {
  readonly nfts: readonly NftKey[]
  readonly changedAt: number
}

/** Known NFTs at the beginning of a contract's range, which from then on begins after them. */
export function takePiece(
  draft: QueueDraft,
  { token, state }: { readonly token: NftKey['token']; readonly state: StateStore },
  { now, countMax }: { readonly now: number; readonly countMax: number },
): Piece {
  const range = draft.range(token)
  if (range === null || range.dueAt === null) return { nfts: [], changedAt: 0 }
  const { from, to, changedAt } = range
  const keys = [...state.scan(nftsOf(token), countMax, nftKey({ token, tokenId: from }))]
  const nfts = keys.map(({ key }) => nftIn(key)).filter(({ tokenId }) => tokenId <= to)
  const last = nfts.at(-1)
  const isDone = last === undefined || nfts.length < countMax || last.tokenId === to
  draft.putRange(
    token,
    isDone ? { ...range, dueAt: null, doneAt: now } : { ...range, from: last.tokenId + 1n },
  )
  return { nfts, changedAt }
}
