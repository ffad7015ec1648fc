import { formatUnits } from 'viem'
import { type Address, address, type Hex } from '../../chain/hex.ts'
import { addressObject } from '../address.ts'
import type { Lookups } from '../lookups.ts'
import { decimalsOf, type TokenObject, tokenAt } from '../objects/token.ts'
import { callObject } from '../objects/transaction-row.ts'
import type { Asset, Nfts, Tokens } from './asset.ts'

/** An exchange, as clients show it. */
export interface DexTag {
  readonly name: string
  readonly icon: string
  readonly url: string
}

/** A value for a placeholder of a sentence. */
type Variable =
  | { readonly type: 'string' | 'currency' | 'method'; readonly value: string }
  | { readonly type: 'token'; readonly value: TokenObject }
  | { readonly type: 'address'; readonly value: ReturnType<typeof addressObject> }
  | { readonly type: 'dexTag'; readonly value: DexTag }

/** A sentence with `{name}` placeholders; each but `{native}` has its variable. */
export interface Sentence {
  readonly summary_template: string
  readonly summary_template_variables: Readonly<Record<string, Variable>>
}

/** A piece of a sentence: plain words, or values for placeholders. */
export type Part =
  | string
  | { readonly text: readonly [name: string, value: string] }
  /** The method that an input calls. */
  | { readonly call: { readonly to: Address; readonly input: Hex; readonly selector: Hex } }
  | { readonly address: readonly [name: string, address: Address] }
  /** A created contract, after the word for its kind. */
  | { readonly created: Address }
  /** @property form of the token where its own standard is not known yet. */
  | { readonly token: readonly [name: string, token: Address, form: 'ERC-20' | 'ERC-721'] }
  /** Names of its placeholders begin with `prefix`. */
  | { readonly asset: Asset; readonly prefix?: string }
  | { readonly dex: DexTag }

/**
 * One thing that a transaction did, before anything that it names was looked up. First a verb:
 * clients show it as such.
 */
export interface Reading {
  readonly verb: string
  readonly parts: readonly Part[]
  /** Whether it holds, by what is known of the addresses; absent: it does. */
  readonly holds?: (context: SummaryContext) => boolean
  /** Addresses that only `holds` reads. */
  readonly requiredAddresses?: readonly Address[]
}

/** Assets with `and` between them; their placeholders have different names. */
export const joined = (assets: readonly Asset[], prefix = ''): readonly Part[] =>
  assets.flatMap((asset, at): readonly Part[] =>
    at === 0 ? [{ asset, prefix }] : ['and', { asset, prefix: `${prefix}${at + 1}_` }],
  )

/** All that a reading names, to be looked up before it is written. */
export function namedIn({ parts, requiredAddresses = [] }: Reading) {
  const tokens: Address[] = []
  const addresses: Address[] = [...requiredAddresses]
  const calls: { readonly to: Address; readonly selector: Hex }[] = []
  for (const part of parts) {
    if (typeof part === 'string') continue
    if ('call' in part) calls.push(part.call)
    if ('address' in part) addresses.push(part.address[1])
    if ('created' in part) {
      addresses.push(part.created)
      tokens.push(part.created)
    }
    if ('token' in part) tokens.push(part.token[1])
    if ('asset' in part && part.asset.kind !== 'coin') tokens.push(part.asset.token)
    // Whether it is the wrapped coin depends on its labels.
    if ('asset' in part && part.asset.kind === 'wrapped') addresses.push(part.asset.token)
  }
  return { tokens, addresses, calls }
}

export interface SummaryContext {
  readonly lookups: Lookups
  readonly chainId: number
}

/** The sentence of a reading; its placeholders are named by what they hold. */
export function written({ verb, parts }: Reading, context: SummaryContext): Sentence {
  const variables: Record<string, Variable> = { action_type: text(verb) }
  const words = parts.map((part) => {
    if (typeof part === 'string') return part
    const named = variablesOf(part, context)
    Object.assign(variables, named.variables)
    return named.words
  })
  return {
    summary_template: ['{action_type}', ...words].join(' '),
    summary_template_variables: variables,
  }
}

interface Named {
  readonly words: string
  readonly variables: Readonly<Record<string, Variable>>
}

const text = (value: string): Variable => ({ type: 'string', value })

/** Placeholders in the order in which they are read. */
const placed = (variables: Readonly<Record<string, Variable>>): Named => ({
  words: Object.keys(variables)
    .map((name) => `{${name}}`)
    .join(' '),
  variables,
})

function variablesOf(part: Exclude<Part, string>, { lookups, chainId }: SummaryContext): Named {
  if ('text' in part) return placed({ [part.text[0]]: text(part.text[1]) })
  if ('call' in part) {
    const { method } = callObject(part.call, lookups)
    return placed({ method: { type: 'method', value: method ?? part.call.selector } })
  }
  if ('dex' in part) return placed({ dex: { type: 'dexTag', value: part.dex } })
  if ('address' in part) {
    const [name, address] = part.address
    return placed({ [name]: { type: 'address', value: addressObject(address, lookups) } })
  }
  if ('created' in part) {
    const what = lookups.token(part.created) === null ? 'contract' : 'token'
    const named = placed({
      contract: { type: 'address', value: addressObject(part.created, lookups) },
    })
    return { ...named, words: `${what} ${named.words}` }
  }
  if ('token' in part) {
    const [name, token, form] = part.token
    return placed({ [name]: { type: 'token', value: tokenAt(token, form, lookups) } })
  }
  const { asset, prefix = '' } = part
  switch (asset.kind) {
    case 'coin':
      return coins(asset.amount, prefix)
    case 'wrapped':
      return isWrappedCoin(asset.token, lookups, chainId)
        ? coins(asset.amount, prefix)
        : fungible(asset, prefix, lookups)
    case 'tokens':
      return fungible(asset, prefix, lookups)
    case 'nfts':
      return nonFungible(asset, prefix, lookups)
  }
}

/** The coin of every chain that counts in wei has 18 decimals. */
const coinDecimals = 18

/** `{native}` needs no variable: clients write the coin's symbol there. */
const coins = (amount: bigint, prefix: string): Named => ({
  words: `{${prefix}amount} {native}`,
  variables: { [`${prefix}amount`]: shownAmount(amount, coinDecimals) },
})

/** An amount of smallest units as a decimal number of whole ones. */
const shownAmount = (value: bigint, decimals: number): Variable => ({
  type: 'currency',
  value: formatUnits(value, decimals),
})

/** Omits the amount if the decimals are unknown: it would be wrong by any power of ten. */
function fungible(
  { token, amount }: Omit<Tokens, 'kind'>,
  prefix: string,
  lookups: Lookups,
): Named {
  const decimals = decimalsOf(lookups.token(token))
  const shown: Variable = { type: 'token', value: tokenAt(token, 'ERC-20', lookups) }
  if (decimals === null) return placed({ [`${prefix}token`]: shown })
  return placed({
    [`${prefix}amount`]: shownAmount(amount, Number(decimals)),
    [`${prefix}token`]: shown,
  })
}

/** One id by itself, several by their count. */
function nonFungible({ token, form, items }: Nfts, prefix: string, lookups: Lookups): Named {
  const shown: Variable = { type: 'token', value: tokenAt(token, form, lookups) }
  const [first] = items
  const total = items.reduce((sum, { amount }) => sum + amount, 0n)
  const count: Variable = { type: 'currency', value: total.toString() }
  if (first === undefined || items.length > 1) {
    return placed({ [`${prefix}amount`]: count, [`${prefix}token`]: shown })
  }
  const id = { [`${prefix}token`]: shown, [`${prefix}token_id`]: text(`#${first.tokenId}`) }
  return placed(total === 1n && form === 'ERC-721' ? id : { [`${prefix}amount`]: count, ...id })
}

/** The contract that the builders of rollups put at one address on every chain of theirs. */
const ofOptimismStack = '0x4200000000000000000000000000000000000006'

/** By chain id: the contract that is generally used as the wrapped coin. */
const ofChains: ReadonlyMap<number, Address> = new Map(
  [
    [1, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
    [10, ofOptimismStack],
    [56, '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'],
    [100, '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d'],
    [130, ofOptimismStack],
    [137, '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'],
    [8_453, ofOptimismStack],
    [42_161, '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'],
    [43_114, '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'],
    [534_352, '0x5300000000000000000000000000000000000004'],
    [11_155_111, '0xfff9976782d46cc05630d1f6ebab18b2324d6b14'],
  ].map(([chainId, text]) => [Number(chainId), address(String(text))]),
)

/** A public tag by which other chains name theirs. */
const wrappedCoinSlug = 'wrapped-coin'

/**
 * Whether a token represents the coin of the chain. Never by its name or its events: anyone can
 * deploy a token with these, and then a summary would mention coins that were not moved.
 */
export const isWrappedCoin = (token: Address, lookups: Lookups, chainId: number): boolean =>
  ofChains.get(chainId) === token ||
  lookups.address(token).facts.tags.some(({ slug }) => slug === wrappedCoinSlug)
