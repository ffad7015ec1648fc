import type { Position } from '../chain/position.ts'
import { addressLabels } from '../tables/address-labels.ts'
import { instanceMetadata } from '../tables/instance-metadata.ts'
import { prices } from '../tables/prices.ts'
import { put, type TableRow } from '../tables/table-row.ts'
import { tokenMarket } from '../tables/token-market.ts'
import type { AddressFact } from '../topics/address-facts.ts'
import type { CoinPrice } from '../topics/coin-prices.ts'
import type { InstanceFact } from '../topics/instance-facts.ts'
import type { TokenFact } from '../topics/token-facts.ts'

/**
 * Off-chain facts, as they came: the last of a key wins. `position` is the place of the message
 * in its own topic, from 1. Token ids are decimal strings inside `fact`.
 */

const textOf = (fact: object): string =>
  JSON.stringify(fact, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )

export const tokenFactRows = (fact: TokenFact, position: Position): TableRow[] => {
  const { token, kind } = fact
  const row = put(tokenMarket, { token, kind, fact: textOf(fact), position, isDeleted: 0 })
  return [kind === 'market' ? { ...row, isFiguresOnly: true } : row]
}

export const instanceFactRows = (fact: InstanceFact, position: Position): TableRow[] => {
  const { token, tokenId } = fact
  return [put(instanceMetadata, { token, tokenId, fact: textOf(fact), position, isDeleted: 0 })]
}

export const addressFactRows = (fact: AddressFact, position: Position): TableRow[] => {
  const { address, kind } = fact
  return [put(addressLabels, { address, kind, fact: textOf(fact), position, isDeleted: 0 })]
}

export const coinPriceRows = ({ moment, price }: CoinPrice, position: Position): TableRow[] => [
  put(prices, { moment, price, position, isDeleted: 0 }),
]
