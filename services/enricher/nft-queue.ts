import pLimit from 'p-limit'
import { removeAll, type StateStore } from '../../libs/ports/state-store.ts'
import { type ChangeTime, noteRange, takePiece } from './changed-ranges.ts'
import type { EnricherLimits } from './limits.ts'
import { type AttemptEnd, decodeRecord, type NftRecord, recordAfter } from './nft-record.ts'
import { noPlace, placeForm, placeKey, QueueDraft, type QueuePlace } from './queue-draft.ts'
import { dueIn, dueOf, nftKey, tags, turnIn } from './queue-keys.ts'
import type { ChangedNfts, NftKey, NftSeen, SeenNft } from './seen-nfts.ts'

type Token = NftKey['token']

/** An NFT that is due, as it was when it was taken. */
export type DueNft = NftKey & NftRecord & { readonly dueAt: number }

export interface Settled {
  readonly nft: DueNft
  readonly outcome: AttemptEnd
  /** For how long its contract has no turn. */
  readonly restMs: number
}

/** A run of what blocks say. */
interface NoteOptions {
  /** Where reading of the topic continues; null: not yet there. */
  readonly offset: number | null
  readonly now: number
  /** Whether the blocks are new, so that what they say is of now, whatever their time. */
  readonly isLive: boolean
}

type Bounds = Pick<
  EnricherLimits,
  'fetchesPerContractMax' | 'refreshPauseMs' | 'changesPerCommitMax' | 'restMaxMs'
>

/** Contracts that are looked at for one taking, besides those that have all their places. */
const contractsMax = 256

/**
 * The NFTs that blocks named, and when to fetch their metadata: on a volume, so that it survives
 * restarts. Contracts have turns, so that one with a million NFTs or slow servers delays no other.
 */
export class NftQueue {
  readonly #state: StateStore
  readonly #bounds: Bounds
  /** Changes read before they write: one at a time. */
  readonly #turn = pLimit(1)
  /** By name. Only in memory: after a restart they are due as before. */
  readonly #taken = new Map<string, { isChanged: boolean }>()
  /** Taken NFTs of each contract that has some. */
  readonly #takenOf = new Map<Token, number>()
  /** Contracts whose turn came, and who had nothing. */
  readonly #idle = new Set<Token>()
  #place: QueuePlace

  /** What another program kept in another form is removed: the topics have it all. */
  static async open(state: StateStore, bounds: Bounds): Promise<NftQueue> {
    const bytes = state.get(placeKey)
    const { data } = placeForm.safeParse(bytes === undefined ? null : JSON.parse(bytes.toString()))
    if (data === undefined) for (const tag of Object.values(tags)) await removeAll(state, tag)
    return new NftQueue(state, bounds, data ?? noPlace)
  }

  private constructor(state: StateStore, bounds: Bounds, place: QueuePlace) {
    this.#state = state
    this.#bounds = bounds
    this.#place = place
  }

  get offset(): number | null {
    return this.#place.offset
  }

  /** NFTs that are due at some time. */
  get waiting(): number {
    return this.#place.waiting
  }

  /** Those of them that were never tried. */
  get unfetched(): number {
    return this.#place.unfetched
  }

  /** NFTs that were taken and not settled yet. */
  get takenCount(): number {
    return this.#taken.size
  }

  /** For how long the contract whose turn is next has waited for it, in ms. */
  delay(now: number): number {
    for (const { key } of this.#state.scan(tags.turn, 1)) return Math.max(0, now - turnIn(key).at)
    return 0
  }

  /** @throws Fenced if another process has opened the volume since */
  assertHeld(): void {
    this.#state.assertHeld()
  }

  /** Adds what blocks say, in several commits; the last one has the offset. */
  async note(seen: readonly SeenNft[], { offset, now, isLive }: NoteOptions): Promise<void> {
    const { changesPerCommitMax } = this.#bounds
    let at = 0
    do {
      const some = seen.slice(at, at + changesPerCommitMax)
      at += changesPerCommitMax
      await this.#change((draft) => {
        for (const one of some) {
          if (one.kind === 'seen') see(draft, one, now)
          else this.#noteChange(draft, one, { now, changedAt: isLive ? now : one.time * 1_000 })
        }
        if (offset !== null && at >= seen.length) draft.reachOffset(offset)
      })
    } while (at < seen.length)
  }

  /** Adds NFTs whose metadata is on the log, before the first block is read. */
  restore(known: readonly (NftKey & NftRecord)[]): Promise<void> {
    return this.#change((draft) => {
      for (const { token, tokenId, ...record } of known) draft.put({ token, tokenId }, record)
    })
  }

  /** Takes NFTs that are due, contract by contract; to be settled or released by who takes them. */
  take(now: number, countMax: number): readonly DueNft[] {
    const found: DueNft[] = []
    for (const { key } of this.#state.scan(tags.turn, contractsMax + this.#takenOf.size)) {
      const { at, token } = turnIn(key)
      if (at > now || found.length >= countMax) break
      const own = this.#takeOf(token, now, countMax - found.length)
      if (own.length === 0 && !this.#takenOf.has(token)) this.#idle.add(token)
      found.push(...own)
    }
    return found
  }

  /** Gives back what was taken, as if it had not been. */
  release(nfts: readonly NftKey[]): void {
    for (const nft of nfts) {
      if (!this.#taken.delete(nameOf(nft))) continue
      const left = (this.#takenOf.get(nft.token) ?? 0) - 1
      if (left > 0) this.#takenOf.set(nft.token, left)
      else this.#takenOf.delete(nft.token)
    }
  }

  /** Records how attempts ended. What changed meanwhile is due again. */
  async settle(settled: readonly Settled[], now: number): Promise<void> {
    const rests = new Map<Token, number>()
    const end = (draft: QueueDraft) => {
      for (const { nft, outcome, restMs } of settled) {
        rests.set(nft.token, Math.max(restMs, rests.get(nft.token) ?? 0))
        const record = draft.record(nft)
        if (record === undefined) continue
        const after = recordAfter(record, outcome, now)
        const isTried = outcome.kind !== 'put-off'
        const isChanged = isTried && this.#taken.get(nameOf(nft))?.isChanged === true
        const dueAt = isChanged ? now + this.#bounds.refreshPauseMs : after.dueAt
        draft.put(nft, { ...after, dueAt })
      }
    }
    // Within the turn: a change that is noted next must find them settled.
    await this.#change(end, () => this.release(settled.map(({ nft }) => nft)))
    await this.#reschedule(rests, now)
  }

  /** Gives contracts that have nothing now their turn when they have; does one piece of ranges. */
  async tend(now: number): Promise<void> {
    const rests = new Map([...this.#idle].map((token) => [token, 0]))
    this.#idle.clear()
    if (rests.size > 0) await this.#reschedule(rests, now)
    for (const { key } of this.#state.scan(tags.rangeTurn, 1)) {
      const { at, token } = turnIn(key)
      if (at <= now) await this.#change((draft) => this.#refreshPiece(draft, token, now))
    }
  }

  #takeOf(token: Token, now: number, countMax: number): readonly DueNft[] {
    const taken = this.#takenOf.get(token) ?? 0
    const wanted = Math.min(countMax, this.#bounds.fetchesPerContractMax - taken)
    const found: DueNft[] = []
    if (wanted <= 0) return found
    for (const { key } of this.#state.scan(dueOf(token), taken + wanted)) {
      const { dueAt, tokenId } = dueIn(key)
      if (dueAt > now || found.length >= wanted) break
      const nft = { token, tokenId }
      const record = this.#taken.has(nameOf(nft)) ? undefined : this.#state.get(nftKey(nft))
      if (record !== undefined) found.push({ ...nft, ...decodeRecord(record), dueAt })
    }
    for (const nft of found) this.#taken.set(nameOf(nft), { isChanged: false })
    if (found.length > 0) this.#takenOf.set(token, taken + found.length)
    return found
  }

  #noteChange(draft: QueueDraft, { token, from, to }: ChangedNfts, change: ChangeTime): void {
    if (from === to) this.#refresh(draft, { token, tokenId: from }, change)
    else if (from < to) {
      noteRange(draft, { token, from, to }, { ...change, pauseMs: this.#bounds.refreshPauseMs })
    }
  }

  #refreshPiece(draft: QueueDraft, token: Token, now: number): void {
    const { changesPerCommitMax: countMax, refreshPauseMs: pauseMs } = this.#bounds
    const { nfts, changedAt } = takePiece(
      draft,
      { token, state: this.#state },
      { now, countMax, pauseMs },
    )
    for (const nft of nfts) this.#refresh(draft, nft, { now, changedAt })
  }

  /** The pause keeps a contract from having one fetched again and again. */
  #refresh(draft: QueueDraft, nft: NftKey, { now, changedAt }: ChangeTime): void {
    const taken = this.#taken.get(nameOf(nft))
    if (taken !== undefined) taken.isChanged = true
    const record = draft.record(nft)
    if (record === undefined || record.triedAt === null || taken !== undefined) return
    if (changedAt <= record.triedAt && record.isFilled) return
    const dueAt = Math.max(now, record.triedAt + this.#bounds.refreshPauseMs)
    if (record.dueAt !== null && record.dueAt <= dueAt) return
    draft.put(nft, { ...record, failures: 0, dueAt })
  }

  #reschedule(rests: ReadonlyMap<Token, number>, now: number): Promise<void> {
    return this.#change((draft) => {
      for (const [token, restMs] of rests) {
        const [first] = this.#state.scan(dueOf(token), 1)
        // A longer rest from before stays, unless a clock that was wrong has made it.
        const before = Math.min(draft.restsUntil(token), now + this.#bounds.restMaxMs)
        const restsUntil = Math.max(before, now + restMs)
        draft.schedule(token, first === undefined ? null : dueIn(first.key).dueAt, restsUntil)
      }
    })
  }

  #change(work: (draft: QueueDraft) => void, done = () => {}): Promise<void> {
    return this.#turn(async () => {
      const draft = new QueueDraft(this.#state, this.#place)
      work(draft)
      await this.#state.commit(draft.writes)
      this.#place = draft.place
      done()
    })
  }
}

function see(draft: QueueDraft, { function: name, ...nft }: NftSeen, now: number): void {
  const record = draft.record(nft)
  if (record === undefined) {
    const { token, tokenId } = nft
    const fresh = { function: name, isFilled: false, failures: 0, dueAt: now, triedAt: null }
    draft.put({ token, tokenId }, fresh)
  } else if (record.function !== name) draft.put(nft, { ...record, function: name })
}

const nameOf = ({ token, tokenId }: NftKey): string => `${token}:${tokenId}`
