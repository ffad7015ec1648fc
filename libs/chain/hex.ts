/** Lower-case hex text that starts with 0x. */
export type Hex = `0x${string}`

declare const addressBrand: unique symbol
declare const hashBrand: unique symbol

/** 20 bytes, lower case; the checksummed form exists only in presenters. */
export type Address = Hex & { readonly [addressBrand]: true }

/** 32 bytes, lower case: hashes and log topics. */
export type Hash = Hex & { readonly [hashBrand]: true }

const addressForm = /^0x[0-9a-f]{40}$/
const hashForm = /^0x[0-9a-f]{64}$/
const hexForm = /^0x(?:[0-9a-f]{2})*$/

export const isAddress = (text: string): text is Address => addressForm.test(text)
export const isHash = (text: string): text is Hash => hashForm.test(text)
export const isHex = (text: string): text is Hex => hexForm.test(text)

/** @throws if the text is not 20 bytes of hex. */
export function address(text: string): Address {
  const lower = text.toLowerCase()
  if (isAddress(lower)) return lower
  throw new Error(`not an address: ${text.slice(0, 80)}`)
}

/** @throws if the text is not 32 bytes of hex. */
export function hash(text: string): Hash {
  const lower = text.toLowerCase()
  if (isHash(lower)) return lower
  throw new Error(`not a 32-byte hash: ${text.slice(0, 80)}`)
}

/** @throws if the text is not whole bytes of hex. */
export function hex(text: string): Hex {
  const lower = text.toLowerCase()
  if (isHex(lower)) return lower
  throw new Error(`not hex: ${text.slice(0, 80)}`)
}

export const zeroAddress: Address = address(`0x${'0'.repeat(40)}`)
export const zeroHash: Hash = hash(`0x${'0'.repeat(64)}`)

/** The digits of hex, without 0x: as query parameters and ids of entities have it. */
export const withoutPrefix = (value: Hex): string => value.slice(2)
