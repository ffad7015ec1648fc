import { keccak_256 } from '@noble/hashes/sha3'
import { type Address, type Hash, type Hex, hash, hex, isAddress } from './hex.ts'

/** Hex digits of a word, 32 bytes. */
export const wordDigits = 64
/** `0x` and the twelve bytes before the address in its word. */
const addressStart = 26
const emptyUpperBytes = `0x${'0'.repeat(24)}`

/** The address in a word (0x and 64 digits), or null if its upper 12 bytes are not empty. */
export function addressInWord(word: string | undefined): Address | null {
  if (word === undefined || !word.startsWith(emptyUpperBytes)) return null
  const text = `0x${word.slice(addressStart)}`
  return isAddress(text) ? text : null
}

/** Whole words in a log's data. */
export const dataWords = (data: Hex): number => Math.floor((data.length - 2) / wordDigits)

/** The word at an index, which must lie within the data: 0x and 64 digits. */
export const wordOf = (data: Hex, index: number): string =>
  `0x${data.slice(2 + index * wordDigits, 2 + (index + 1) * wordDigits)}`

const keccak = (text: string): string => Buffer.from(keccak_256(text)).toString('hex')

/** Topic 0 of an event. @param signature name and types, as `Transfer(address,address,uint256)` */
export const eventTopic = (signature: string): Hash => hash(`0x${keccak(signature)}`)

const selectorDigits = 8

/** The first four bytes of a call. @param signature name and types, as `mint(uint256)` */
export const functionSelector = (signature: string): Hex =>
  hex(`0x${keccak(signature).slice(0, selectorDigits)}`)
