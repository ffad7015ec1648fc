import type { Endpoint } from './traffic.ts'

export type Subjects = Record<Endpoint['subject'], Set<string>>

export const noSubjects = (): Subjects => ({
  addresses: new Set(),
  tokens: new Set(),
  transactions: new Set(),
})

const address = /^0x[0-9a-fA-F]{40}$/
const hash = /^0x[0-9a-fA-F]{64}$/

/** Adds the addresses, tokens and transactions that a body of the API names. */
export function addSubjectsIn(body: unknown, to: Subjects): void {
  if (Array.isArray(body)) {
    for (const item of body) addSubjectsIn(item, to)
    return
  }
  if (typeof body !== 'object' || body === null) return
  for (const [key, value] of Object.entries(body)) {
    if (typeof value !== 'string') addSubjectsIn(value, to)
    else if (key === 'transaction_hash' || (key === 'hash' && hash.test(value))) {
      to.transactions.add(value)
    } else if (key === 'hash' && address.test(value)) to.addresses.add(value.toLowerCase())
    // An object with decimals is a token; an address object has another name for its address.
    else if (key === 'address_hash' && 'decimals' in body) to.tokens.add(value.toLowerCase())
  }
}
