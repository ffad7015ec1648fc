import type { Address } from '../../../libs/chain/hex.ts'
import {
  type AddressFacts,
  addressFactsOf,
  type InstanceFacts,
  instanceFactsOf,
  type TokenFacts,
  tokenFactsOf,
} from '../../../libs/presenters/facts.ts'
import { labelRows } from '../../../libs/queries/address-labels.ts'
import {
  type InstanceKey,
  instanceKey,
  metadataOfInstances,
} from '../../../libs/queries/instances/instances.ts'
import { question } from '../../../libs/queries/question.ts'
import { marketRows } from '../../../libs/queries/token-market.ts'
import { instanceMetadata } from '../../../libs/tables/instances.ts'

/** Off-chain facts, as presenters show them: those of subjects without any are missing. */

export const tokenFacts = question({
  table: marketRows.table,
  subjects: (tokens: readonly Address[]) => tokens,
  async read(_store, tokens, { subjectRows }): Promise<ReadonlyMap<Address, TokenFacts>> {
    return eachOf(await subjectRows(marketRows, tokens), tokenFactsOf)
  },
})

export const addressFacts = question({
  table: labelRows.table,
  subjects: (addresses: readonly Address[]) => addresses,
  async read(_store, addresses, { subjectRows }): Promise<ReadonlyMap<Address, AddressFacts>> {
    return eachOf(await subjectRows(labelRows, addresses), addressFactsOf)
  },
})

/** By `instanceKey`. */
export const instanceFacts = question({
  table: instanceMetadata,
  subjects: (keys: readonly InstanceKey[]) => keys.map(instanceKey),
  async read(store, keys): Promise<ReadonlyMap<string, InstanceFacts>> {
    const found = await metadataOfInstances(store, keys)
    return new Map([...found].map(([key, row]) => [key, instanceFactsOf(row)]))
  },
})

const eachOf = <K, R, V>(found: ReadonlyMap<K, readonly R[]>, of: (rows: readonly R[]) => V) =>
  new Map(
    [...found].flatMap(([key, rows]) => (rows.length === 0 ? [] : [[key, of(rows)] as const])),
  )
