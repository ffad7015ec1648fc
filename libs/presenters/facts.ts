/** What is known off the chain, as bodies show it. Absent knowledge is null or empty. */

export interface TokenFacts {
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly exchangeRate: string | null
  readonly volume24h: string | null
  readonly marketCap: string | null
  readonly circulatingSupply: string | null
  readonly iconUrl: string | null
  readonly isScam: boolean
}

export interface Tag {
  readonly slug: string
  readonly name: string
  readonly tagType: string
  readonly ordinal: number
  readonly meta: Readonly<Record<string, unknown>>
}

export interface AddressFacts {
  readonly name: string | null
  readonly ensName: string | null
  readonly tags: readonly Tag[]
  readonly isVerified: boolean
  readonly isScam: boolean
  readonly proxyType: string | null
  readonly implementations: readonly { readonly address: string; readonly name: string | null }[]
}

export interface InstanceFacts {
  /** As it was fetched. */
  readonly metadata: Readonly<Record<string, unknown>> | null
}

export const noTokenFacts: TokenFacts = {
  name: null,
  symbol: null,
  decimals: null,
  exchangeRate: null,
  volume24h: null,
  marketCap: null,
  circulatingSupply: null,
  iconUrl: null,
  isScam: false,
}

export const noAddressFacts: AddressFacts = {
  name: null,
  ensName: null,
  tags: [],
  isVerified: false,
  isScam: false,
  proxyType: null,
  implementations: [],
}

export const noInstanceFacts: InstanceFacts = { metadata: null }
