import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Standard } from '../../chain/token.ts'
import { part } from '../../tables/tables/balances.ts'
import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'
import { standardCode, standardOfCode } from './token.ts'

/**
 * What a holder has of a part of a token: the fungible one, or one token id. Zero and known until
 * the log contains a change, if the token's history is complete.
 */
export interface Balance {
  /** Zero while it is not known. For ERC-721 what transfers add up to, or a node counted. */
  value: bigint
  isKnown: boolean
  /** ERC-721: ids whose known owner is the holder (decision 37); else 0. */
  owned: number
  /** The last block whose changes `value` holds, or that made it unknown; -1 before. */
  asOf: number
  /** Of its token when it was last touched: its rows are of it. Null: it has no rows yet. */
  standard: Standard | null
  /** Known while its token had no standard: it is one of the `unlisted` entities. */
  isUnlisted: boolean
  /** Transfers did not explain it once: each further change makes it unknown until observed. */
  deviates: boolean
  /** The block after which it was observed while its token was in doubt; 0: it is derived. */
  observedAt: number
  /** Of the token for the fungible part, of the instance for the other. */
  ordinal: number
  /** The chain's `knownFrom` when it was written. */
  knownFrom: number
}

/** The entity after a gap in the log: readers ignore its rows. */
export const forgottenBalance = (pair: Balance): Balance => ({
  ...pair,
  standard: null,
  value: 0n,
  isKnown: false,
  owned: 0,
  observedAt: 0,
})

/** Never of the zero address. */
export interface BalanceKey {
  readonly token: Address
  readonly holder: Address
  /** Null for the fungible part. */
  readonly tokenId: bigint | null
}

const addressDigits = 40
const partDigits = 2
const idDigits = 64

export const tokenIdDigits = (tokenId: bigint): string =>
  tokenId.toString(16).padStart(idDigits, '0')

/** Token, part, token id (of an instance), holder. */
export const balanceEntityId = ({ token, holder, tokenId }: BalanceKey): string =>
  tokenId === null
    ? `${withoutPrefix(token)}00${withoutPrefix(holder)}`
    : `${withoutPrefix(token)}01${tokenIdDigits(tokenId)}${withoutPrefix(holder)}`

export function parseBalanceId(id: string): BalanceKey & { readonly part: number } {
  const holderStart = id.length - addressDigits
  const tokenIdStart = addressDigits + partDigits
  const isInstance = holderStart > tokenIdStart
  return {
    token: address(`0x${id.slice(0, addressDigits)}`),
    holder: address(`0x${id.slice(holderStart)}`),
    tokenId: isInstance ? BigInt(`0x${id.slice(tokenIdStart, holderStart)}`) : null,
    part: isInstance ? part.instance : part.fungible,
  }
}

const flag = { known: 8, unlisted: 16, deviates: 32 } as const

export const balanceEntity: Entity<Balance> = {
  name: 'pair',
  tag: 0x03,
  encode(pair) {
    let flags = standardCode(pair.standard)
    if (pair.isKnown) flags |= flag.known
    if (pair.isUnlisted) flags |= flag.unlisted
    if (pair.deviates) flags |= flag.deviates
    writer.byte(flags)
    writer
      .integer(pair.ordinal)
      .integer(pair.asOf + 1)
      .integer(pair.owned)
    return writer.amount(pair.value).integer(pair.knownFrom).integer(pair.observedAt).done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      standard: standardOfCode(flags & 7),
      isKnown: (flags & flag.known) !== 0,
      isUnlisted: (flags & flag.unlisted) !== 0,
      deviates: (flags & flag.deviates) !== 0,
      ordinal: reader.integer(),
      asOf: reader.integer() - 1,
      owned: reader.integer(),
      value: reader.amount(),
      knownFrom: reader.integer(),
      observedAt: reader.integer(),
    }
  },
}

/**
 * How much of an ERC-1155 or ERC-404 a holder has at all, so that an address counts once among
 * the token's holders. Its id: token, holder.
 */
export interface Holding {
  /** Parts and ids whose balance is known and above zero. */
  count: number
  /** The chain's `knownFrom` when it was written. */
  knownFrom: number
}

export const forgottenHolding = (holding: Holding): Holding => ({ ...holding, count: 0 })

export const holdingId = (token: Address, holder: Address): string =>
  withoutPrefix(token) + withoutPrefix(holder)

export const holdingEntity: Entity<Holding> = {
  name: 'holding',
  tag: 0x05,
  encode: (holding) => writer.integer(holding.count).integer(holding.knownFrom).done(),
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    return { count: reader.integer(), knownFrom: reader.integer() }
  },
}
