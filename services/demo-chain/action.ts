import type { Address, Hex } from '../../libs/chain/hex.ts'

/** EIP-2718 types that the traffic uses. */
export type EnvelopeType = 0 | 1 | 2 | 3 | 4

/** A transaction that the traffic wants, before it has a nonce and a price. */
export interface Intent {
  /** Index of an account. */
  readonly sender: number
  /** Null for a creation. */
  readonly to: Address | null
  readonly input: Hex
  /** Wei. */
  readonly value: bigint
  readonly gas: bigint
  /** Null: whichever plain type the dice say. */
  readonly type: 3 | 4 | null
  /** Of a set-code transaction: whose account runs whose code from now on. */
  readonly authority: { readonly account: number; readonly delegate: Address } | null
}

/** A transaction with all that decides its hash. */
export interface PreparedTransaction extends Intent {
  readonly nonce: number
  readonly envelope: EnvelopeType
  /** Wei a gas: the price of a legacy one, else the priority fee. */
  readonly price: bigint
  /** The authority's nonce at the time; 0 where there is none. */
  readonly authorityNonce: number
}

const quiet = { input: '0x', value: 0n, gas: 300_000n, type: null, authority: null } as const

/** An intent with the fields that differ from a call without value. */
export function intent(
  sender: number,
  to: Address | null,
  rest: Partial<Omit<Intent, 'sender' | 'to'>>,
): Intent {
  return { ...quiet, ...rest, sender, to }
}
