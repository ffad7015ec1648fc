import { entryForm, entrySelector, entryText } from '../chain/abi-entry.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { put, type TableRow } from '../tables/declare/table.ts'
import { contractAbis, signatures } from '../tables/tables/abis.ts'
import { addressLabels } from '../tables/tables/addresses.ts'
import { instanceMetadata } from '../tables/tables/instances.ts'
import { prices } from '../tables/tables/prices.ts'
import { rateHourToken, rateSlotOf, tokenMarket, tokenRates } from '../tables/tables/tokens.ts'
import { abiJson } from '../topics/facts/abi-json.ts'
import type { AddressFact } from '../topics/facts/address-facts.ts'
import type { CoinPrice } from '../topics/facts/coin-prices.ts'
import type { InstanceFact } from '../topics/facts/instance-facts.ts'
import { entryOfFact, type SignatureFact } from '../topics/facts/signature-facts.ts'
import type { TokenFact } from '../topics/facts/token-facts.ts'

/**
 * Off-chain facts, as they came: the last of a key wins. `position` is the place of the message
 * in its own topic, from 1. Token ids are decimal strings inside `fact`.
 */

const textOf = (fact: object): string =>
  JSON.stringify(fact, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )

export const tokenFactRows = (fact: TokenFact, position: Position): TableRow[] => {
  if (fact.kind === 'hour') return []
  const { token, kind } = fact
  const row = put(tokenMarket, { token, kind, fact: textOf(fact), position, isDeleted: 0 })
  return [kind === 'market' ? { ...row, isStatsOnly: true } : row]
}

/** The rates of an hour, all that are known when it begins: decimal strings by token. */
export const rateHourRows = (
  hour: number,
  rates: ReadonlyMap<Address, string>,
  position: Position,
): TableRow[] =>
  [[rateHourToken, `${rates.size}`] as const, ...rates].map(([token, rate]) =>
    put(tokenRates, { slot: rateSlotOf(hour), token, hour, rate, position, isDeleted: 0 }),
  )

export const instanceFactRows = (fact: InstanceFact, position: Position): TableRow[] => {
  const { token, tokenId } = fact
  return [put(instanceMetadata, { token, tokenId, fact: textOf(fact), position, isDeleted: 0 })]
}

export const addressFactRows = (fact: AddressFact, position: Position): TableRow[] => {
  if (fact.kind === 'abi') return abiRows(fact, position)
  const { address, kind } = fact
  return [put(addressLabels, { address, kind, fact: textOf(fact), position, isDeleted: 0 })]
}

type AbiFact = Extract<AddressFact, { kind: 'abi' }>

/**
 * A row for each function and event, and one without a selector, so that rows of an ABI before are
 * known by their position. Entries that nothing can be decoded by are left out.
 */
function abiRows({ address, entries }: AbiFact, position: Position): TableRow[] {
  const signaturesBySelector = new Map<Hex, string>([['0x', '']])
  for (const json of entries) {
    const read = abiJson(json)
    if (typeof read === 'string' || 'invalid' in read) continue
    const selector = entrySelector(read.entry)
    if (signaturesBySelector.has(selector)) continue
    signaturesBySelector.set(selector, entryText(read.entry))
  }
  return [...signaturesBySelector].map(([selector, signature]) =>
    put(contractAbis, { address, selector, signature, position, isDeleted: 0 }),
  )
}

export const signatureFactRows = (fact: SignatureFact, position: Position): TableRow[] => {
  const { selector, time: since } = fact
  const entry = entryOfFact(fact)
  if (entry === null) return []
  const row = { selector, form: entryForm(entry), signature: entryText(entry), since, position }
  return [put(signatures, { ...row, isDeleted: 0 })]
}

export const coinPriceRows = ({ moment, price }: CoinPrice, position: Position): TableRow[] => [
  put(prices, { moment, price, position, isDeleted: 0 }),
]
