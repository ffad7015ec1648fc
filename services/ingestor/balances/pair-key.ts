import { type Address, address, withoutPrefix } from '../../../libs/chain/hex.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'

/** Keys of pairs: tag, token, kind, id, holder; so those of a token lie together. */
export const pairTag = Buffer.from('p')

const kinds = { amount: 0, instance: 1, owner: 2 } as const
const addressBytes = 20
const idBytes = 32
const kindAt = pairTag.length + addressBytes
const idAt = kindAt + 1

const tagDigits = pairTag.toString('hex')
const idDigitsOf = (id: bigint): string => id.toString(16).padStart(2 * idBytes, '0')

const tokenDigits = (token: Address): string => tagDigits + withoutPrefix(token)

/** The key of a balance or of an id's owner; not of a supply. */
export function pairKey({ token, holder, tokenId }: StateRef): Buffer {
  const kind = holder === null ? kinds.owner : tokenId === null ? kinds.amount : kinds.instance
  const id = tokenId === null ? '' : idDigitsOf(tokenId)
  const digits = `${tokenDigits(token)}0${kind}${id}${holder === null ? '' : withoutPrefix(holder)}`
  return Buffer.from(digits, 'hex')
}

const addressAt = (key: Buffer, start: number): Address =>
  address(`0x${key.toString('hex', start, start + addressBytes)}`)

export const tokenOfKey = (key: Buffer): Address => addressAt(key, pairTag.length)

/** What {@link pairKey} made the key of. */
export function pairOfKey(key: Buffer): StateRef {
  const token = tokenOfKey(key)
  const kind = key[kindAt]
  if (kind === kinds.amount) return { token, holder: addressAt(key, idAt), tokenId: null }
  const tokenId = BigInt(`0x${key.toString('hex', idAt, idAt + idBytes)}`)
  const holder = kind === kinds.owner ? null : addressAt(key, idAt + idBytes)
  return { token, holder, tokenId }
}

/** Above all keys of that token and below those of all tokens after it. */
export const afterPairsOf = (token: Address): Buffer =>
  Buffer.from(`${tokenDigits(token)}ff`, 'hex')

/** What the names of all keys of a token begin with. */
export const nameOfToken = (token: Address): string =>
  nameOfKey(Buffer.from(tokenDigits(token), 'hex'))
export const tokenNameOf = (name: string): string => name.slice(0, kindAt)

/** A key as that of a Map. */
export const nameOfKey = (key: Buffer): string => key.toString('latin1')
