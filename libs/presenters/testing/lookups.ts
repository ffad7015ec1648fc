import type { AbiEntry } from '../../chain/abi-entry.ts'
import type { Address, Hex } from '../../chain/hex.ts'
import type { Row } from '../../tables/declare/table.ts'
import type { addressState } from '../../tables/tables/addresses.ts'
import type { instances } from '../../tables/tables/instances.ts'
import type { tokenState } from '../../tables/tables/tokens.ts'
import { DecodeBudget } from '../abi/decode-budget.ts'
import {
  type AddressFacts,
  type InstanceFacts,
  noAddressFacts,
  noInstanceFacts,
  noTokenFacts,
  type TokenFacts,
} from '../facts.ts'
import type { Lookups } from '../lookups.ts'

interface LookupsOptions {
  readonly tokens?: readonly Row<typeof tokenState>[]
  readonly addresses?: readonly Row<typeof addressState>[]
  readonly instances?: readonly Row<typeof instances>[]
  /** Of every token, address, instance, or by address. */
  readonly tokenFacts?: Partial<TokenFacts>
  readonly addressFacts?: Partial<AddressFacts> | ((address: Address) => Partial<AddressFacts>)
  readonly instanceFacts?: Partial<InstanceFacts>
  readonly abis?: (contract: Address, selector: Hex) => readonly AbiEntry[]
  readonly signatures?: (selector: Hex) => readonly AbiEntry[]
  readonly prices?: Readonly<Record<string, string>>
  readonly head?: Lookups['head']
}

/** Lookups that return what a spec provides. */
export function lookupsOf(options: LookupsOptions = {}): Lookups {
  const { tokens = [], addresses = [], instances = [], prices = {}, addressFacts } = options
  const facts = { ...noTokenFacts, ...options.tokenFacts }
  const records = tokens.map((state) => ({ state, facts }))
  const factsOf = typeof addressFacts === 'function' ? addressFacts : () => addressFacts
  return {
    head: options.head ?? { block: 109, time: 1_700_000_108 },
    coinPrice: prices.now ?? null,
    decodeBudget: new DecodeBudget(),
    coinPriceOn: (day) => prices[day] ?? null,
    token: (address) => records.find(({ state }) => state.token === address) ?? null,
    address: (address) => ({
      state: addresses.find((row) => row.address === address) ?? null,
      facts: { ...noAddressFacts, ...factsOf(address) },
    }),
    signatures: (contract, selector) => ({
      own: contract === null ? [] : (options.abis?.(contract, selector) ?? []),
      wellKnown: options.signatures?.(selector) ?? [],
    }),
    instance: (token, tokenId) => ({
      state: instances.find((row) => row.token === token && row.tokenId === tokenId) ?? null,
      facts: { ...noInstanceFacts, ...options.instanceFacts },
    }),
  }
}
