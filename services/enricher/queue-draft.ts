import { z } from 'zod'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { integerNumber } from '../../libs/topics/quantities.ts'
import { decodeRecord, encodeRecord, type NftRecord } from './nft-record.ts'
import {
  type ChangedRange,
  contractKey,
  decodeRange,
  decodeTurn,
  dueKey,
  encodeRange,
  encodeTurn,
  nftKey,
  rangeKey,
  tags,
  turnKey,
} from './queue-keys.ts'
import type { NftKey } from './seen-nfts.ts'

type Token = NftKey['token']

/** Raise it with any change of a stored form: the volume is then filled from the topics again. */
const queueFormat = 1

export const placeForm = z.object({
  format: z.literal(queueFormat),
  /** Where reading of `blocks` continues; null before the facts of others have been read. */
  offset: integerNumber.nullable(),
  /** NFTs that are due at some time. */
  waiting: integerNumber,
  /** Those of them that were never tried. */
  unfetched: integerNumber,
})
export type QueuePlace = z.output<typeof placeForm>

export const noPlace: QueuePlace = { format: queueFormat, offset: null, waiting: 0, unfetched: 0 }
export const placeKey = Buffer.from('p')

const noBytes = Buffer.alloc(0)

/** Writes of one commit of the queue; reads of single keys see them. */
export class QueueDraft {
  readonly #state: StateStore
  readonly #changed = new Map<string, readonly [key: Buffer, value: Buffer | null]>()
  #place: QueuePlace

  constructor(state: StateStore, place: QueuePlace) {
    this.#state = state
    this.#place = place
  }

  get place(): QueuePlace {
    return this.#place
  }

  /** With the place. */
  get writes(): readonly (readonly [key: Buffer, value: Buffer | null])[] {
    return [
      ...this.#changed.values(),
      [placeKey, Buffer.from(JSON.stringify(this.#place))] as const,
    ]
  }

  reachOffset(offset: number): void {
    this.#place = { ...this.#place, offset }
  }

  record(nft: NftKey): NftRecord | undefined {
    const bytes = this.#get(nftKey(nft))
    return bytes === undefined ? undefined : decodeRecord(bytes)
  }

  /** Its contract has a turn then, unless it rests. */
  put(nft: NftKey, record: NftRecord): void {
    const before = this.record(nft)
    if (before !== undefined) {
      this.#count(before, -1)
      if (before.dueAt !== null) this.#set(dueKey(nft, before.dueAt), null)
    }
    this.#count(record, 1)
    this.#set(nftKey(nft), encodeRecord(record))
    if (record.dueAt === null) return
    this.#set(dueKey(nft, record.dueAt), noBytes)
    const { at, restsUntil } = this.#turn(nft.token)
    this.schedule(nft.token, Math.min(at ?? record.dueAt, record.dueAt), restsUntil)
  }

  /** @param at null: nothing of it waits */
  schedule(token: Token, at: number | null, restsUntil: number | null): void {
    const before = this.#turn(token).at
    const next = at === null ? null : Math.max(at, restsUntil ?? at)
    if (before !== null) this.#set(turnKey(tags.turn, token, before), null)
    if (next !== null) this.#set(turnKey(tags.turn, token, next), noBytes)
    this.#set(contractKey(token), encodeTurn({ at: next, restsUntil }))
  }

  /** In ms since 1970; 0 for one that never rested. */
  restsUntil(token: Token): number {
    return this.#turn(token).restsUntil ?? 0
  }

  range(token: Token): ChangedRange | null {
    const bytes = this.#get(rangeKey(token))
    return bytes === undefined ? null : decodeRange(bytes)
  }

  putRange(token: Token, range: ChangedRange): void {
    const before = this.range(token)?.dueAt ?? null
    if (before !== null) this.#set(turnKey(tags.rangeTurn, token, before), null)
    if (range.dueAt !== null) this.#set(turnKey(tags.rangeTurn, token, range.dueAt), noBytes)
    this.#set(rangeKey(token), encodeRange(range))
  }

  #turn(token: Token) {
    return decodeTurn(this.#get(contractKey(token)))
  }

  #get(key: Buffer): Buffer | undefined {
    const own = this.#changed.get(key.toString('latin1'))
    return own === undefined ? this.#state.get(key) : (own[1] ?? undefined)
  }

  #set(key: Buffer, value: Buffer | null): void {
    this.#changed.set(key.toString('latin1'), [key, value])
  }

  #count({ dueAt, triedAt }: NftRecord, sign: 1 | -1): void {
    if (dueAt === null) return
    const { waiting, unfetched } = this.#place
    this.#place = {
      ...this.#place,
      waiting: waiting + sign,
      unfetched: triedAt === null ? unfetched + sign : unfetched,
    }
  }
}
