import { keccak_256 } from '@noble/hashes/sha3'
import { type Hash, type Hex, hash, hex } from './hex.ts'

const keccak = (text: string): string => Buffer.from(keccak_256(text)).toString('hex')

/** Topic 0 of an event. @param signature name and types, as `Transfer(address,address,uint256)` */
export const eventTopic = (signature: string): Hash => hash(`0x${keccak(signature)}`)

const selectorDigits = 8

/** The first four bytes of a call. @param signature name and types, as `mint(uint256)` */
export const functionSelector = (signature: string): Hex =>
  hex(`0x${keccak(signature).slice(0, selectorDigits)}`)
