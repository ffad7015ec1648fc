import type { Address } from '../../../libs/chain/hex.ts'
import { alice, bob, coin, transfer } from '../../../test/support/observable-chain.ts'
import { SourceOfValues, tokenAddress } from '../../../test/support/source-of-values.ts'

export const people = (count: number, first = 0x100) =>
  Array.from({ length: count }, (_, at) => tokenAddress(first + at))

/** Each of some holders sends a coin to itself, in one block. */
export const moves = (token: Address, holders: readonly Address[]) =>
  holders.map((holder) => transfer(token, [holder, holder]))

/** A chain whose log begins after coins did, that answers for every holder: 5. */
export function olderChain(tokens: readonly Address[] = [coin]): SourceOfValues {
  const source = new SourceOfValues()
  for (const token of tokens) {
    source.code.set(token, 'own')
    for (const holder of [...people(400), alice, bob]) source.balances.set(token + holder, 5n)
  }
  source.grow(1)
  return source
}
