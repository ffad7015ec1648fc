import { address } from '../../libs/chain/hex.ts'
import type { UriFunction } from '../../libs/ports/token-uris.ts'
import type { NftKey } from './seen-nfts.ts'

/** What is kept of an NFT; times in ms since 1970. */
export interface NftRecord {
  readonly function: UriFunction
  /** Whether its metadata or medium was published: a later failure must not replace it. */
  readonly isFilled: boolean
  /** Failed attempts since it was last fetched. */
  readonly failures: number
  /** When to fetch it next; null: once its contract says that it has changed. */
  readonly dueAt: number | null
  /** End of the last attempt; null before the first. */
  readonly triedAt: number | null
}

/** How an attempt ended. `put-off`: it did not take place. */
export type AttemptEnd =
  | { readonly kind: 'filled' }
  | { readonly kind: 'failed'; readonly nextAt: number }
  | { readonly kind: 'put-off' }

/** After an attempt that ended at `now`. */
export function recordAfter(record: NftRecord, outcome: AttemptEnd, now: number): NftRecord {
  switch (outcome.kind) {
    case 'filled':
      return { ...record, isFilled: true, failures: 0, dueAt: null, triedAt: now }
    case 'failed':
      return { ...record, failures: record.failures + 1, dueAt: outcome.nextAt, triedAt: now }
    case 'put-off':
      return record
  }
}

const functions: readonly UriFunction[] = ['tokenURI', 'uri']
const failuresMax = 255
const recordBytes = 15
/** Of a time. */
export const timeBytes = 6
const [timeMin, timeMax] = [1, 2 ** (8 * timeBytes) - 1]

/** In what a time has: others publish facts, with times of their own. */
export const storedTime = (time: number): number => Math.min(Math.max(time, timeMin), timeMax)

/** Six bytes, ascending; zero stands for null. */
export function encodeTime(time: number | null): Buffer {
  const bytes = Buffer.alloc(timeBytes)
  bytes.writeUIntBE(time === null ? 0 : storedTime(time), 0, timeBytes)
  return bytes
}

export const decodeTime = (bytes: Buffer, at: number): number | null =>
  bytes.readUIntBE(at, timeBytes) || null

/** One byte each: function, filled, failures; then the times. */
export function encodeRecord(record: NftRecord): Buffer {
  const name = functions.indexOf(record.function)
  const flags = [name, record.isFilled ? 1 : 0, Math.min(record.failures, failuresMax)]
  return Buffer.concat([Buffer.from(flags), encodeTime(record.dueAt), encodeTime(record.triedAt)])
}

/** @throws if the bytes are no record */
export function decodeRecord(bytes: Buffer): NftRecord {
  const name = functions[bytes.readUInt8(0)]
  if (bytes.length !== recordBytes || name === undefined) throw new Error('not a record of an NFT')
  return {
    function: name,
    isFilled: bytes.readUInt8(1) === 1,
    failures: bytes.readUInt8(2),
    dueAt: decodeTime(bytes, 3),
    triedAt: decodeTime(bytes, 3 + timeBytes),
  }
}

export const addressBytes = 20
const idBytes = 32
export const encodeToken = (token: NftKey['token']): Buffer => Buffer.from(token.slice(2), 'hex')
export const decodeToken = (bytes: Buffer): NftKey['token'] => address(`0x${bytes.toString('hex')}`)

export const encodeId = (tokenId: bigint): Buffer =>
  Buffer.from(tokenId.toString(16).padStart(idBytes * 2, '0'), 'hex')
export const decodeId = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

/** Contract and id: keys of one contract's NFTs are ascending by id. */
export const encodeNft = ({ token, tokenId }: NftKey): Buffer =>
  Buffer.concat([encodeToken(token), encodeId(tokenId)])

export const decodeNft = (bytes: Buffer): NftKey => ({
  token: decodeToken(bytes.subarray(0, addressBytes)),
  tokenId: decodeId(bytes.subarray(addressBytes)),
})
