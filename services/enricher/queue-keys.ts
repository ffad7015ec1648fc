import {
  addressBytes,
  decodeId,
  decodeNft,
  decodeTime,
  decodeToken,
  encodeId,
  encodeNft,
  encodeTime,
  encodeToken,
  timeBytes,
} from './nft-record.ts'
import type { NftKey } from './seen-nfts.ts'

type Token = NftKey['token']

/** First bytes of the keys of the queue, by what a key has after it. */
export const tags = {
  /** Contract and id: the record of an NFT. */
  nft: Buffer.from('n'),
  /** Contract, time and id: NFTs that are due at some time. */
  due: Buffer.from('d'),
  /** Contract: its turn. */
  contract: Buffer.from('c'),
  /** Time and contract: contracts by their turns. */
  turn: Buffer.from('t'),
  /** Contract: a range of its ids that has changed. */
  range: Buffer.from('r'),
  /** Time and contract: such ranges by when their NFTs become due. */
  rangeTurn: Buffer.from('u'),
} as const

const tagBytes = 1

export const nftKey = (nft: NftKey): Buffer => Buffer.concat([tags.nft, encodeNft(nft)])
export const nftsOf = (token: Token): Buffer => Buffer.concat([tags.nft, encodeToken(token)])
export const nftIn = (key: Buffer): NftKey => decodeNft(key.subarray(tagBytes))

export const dueKey = ({ token, tokenId }: NftKey, at: number): Buffer =>
  Buffer.concat([dueOf(token), encodeTime(at), encodeId(tokenId)])
export const dueOf = (token: Token): Buffer => Buffer.concat([tags.due, encodeToken(token)])
export const dueIn = (key: Buffer): { readonly dueAt: number; readonly tokenId: bigint } => ({
  dueAt: decodeTime(key, tagBytes + addressBytes) ?? 0,
  tokenId: decodeId(key.subarray(tagBytes + addressBytes + timeBytes)),
})

export const contractKey = (token: Token): Buffer =>
  Buffer.concat([tags.contract, encodeToken(token)])
export const rangeKey = (token: Token): Buffer => Buffer.concat([tags.range, encodeToken(token)])

/** Of a contract's turn, or of that of its range. */
export const turnKey = (tag: Buffer, token: Token, at: number): Buffer =>
  Buffer.concat([tag, encodeTime(at), encodeToken(token)])
export const turnIn = (key: Buffer): { readonly at: number; readonly token: Token } => ({
  at: decodeTime(key, tagBytes) ?? 0,
  token: decodeToken(key.subarray(tagBytes + timeBytes)),
})

/** When a contract has its next turn (null: nothing waits), and when at the earliest. */
export interface Turn {
  readonly at: number | null
  readonly restsUntil: number | null
}

export const encodeTurn = ({ at, restsUntil }: Turn): Buffer =>
  Buffer.concat([encodeTime(at), encodeTime(restsUntil)])

export const decodeTurn = (bytes: Buffer | undefined): Turn =>
  bytes === undefined
    ? { at: null, restsUntil: null }
    : { at: decodeTime(bytes, 0), restsUntil: decodeTime(bytes, timeBytes) }

/** Ids that a contract says have changed: those from `from` to `to` become due at `dueAt`. */
export interface ChangedRange {
  /** Null: none waits. */
  readonly dueAt: number | null
  /** When the last range was done. */
  readonly doneAt: number | null
  /** What was fetched later than that is as it is now. */
  readonly changedAt: number
  readonly from: bigint
  readonly to: bigint
  /** What came while the NFTs of this one become due; null: nothing. */
  readonly next: Ids | null
}

export type Ids = Pick<ChangedRange, 'changedAt' | 'from' | 'to'>

export const encodeRange = ({ dueAt, doneAt, next, ...own }: ChangedRange): Buffer =>
  Buffer.concat([
    ...[dueAt, doneAt, own.changedAt, next?.changedAt ?? null].map(encodeTime),
    ...[own.from, own.to, next?.from ?? 0n, next?.to ?? 0n].map(encodeId),
  ])

const [timesCount, idBytes] = [4, 32]

export function decodeRange(bytes: Buffer): ChangedRange {
  const timeAt = (at: number) => decodeTime(bytes, at * timeBytes)
  const idAt = (at: number) => {
    const begin = timesCount * timeBytes + at * idBytes
    return decodeId(bytes.subarray(begin, begin + idBytes))
  }
  const nextAt = timeAt(3)
  return {
    dueAt: timeAt(0),
    doneAt: timeAt(1),
    changedAt: timeAt(2) ?? 0,
    from: idAt(0),
    to: idAt(1),
    next: nextAt === null ? null : { changedAt: nextAt, from: idAt(2), to: idAt(3) },
  }
}
