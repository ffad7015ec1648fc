import type { Address } from '../../../libs/chain/hex.ts'
import { ResultTooLarge } from '../../../libs/ports/store.ts'
import type { TokenRecord } from '../../../libs/presenters/lookups.ts'
import { type TransferRow, transferOf } from '../../../libs/presenters/transfer.ts'
import {
  type InstanceKey,
  instanceKey,
  instancesByKey,
} from '../../../libs/queries/instances/instances.ts'
import { instanceFacts } from './shared-rows.ts'
import type { Read } from './tracked-read.ts'

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** State and metadata of instances. */
export async function instancesOf(ids: Iterable<InstanceKey>, read: Read) {
  const keys = [...ids]
  if (keys.length === 0) return { states: none, facts: none }
  const [states, facts] = await Promise.all([read(instancesByKey, keys), read(instanceFacts, keys)])
  return { states, facts }
}

/** Instances of `instancesOfAmounts`: no list of transfers has more, and no summary. */
export const instancesOfAmountsMax = 256

/**
 * Those in transfers of the form of ERC-20 whose tokens are of ERC-721. Until the tokens are read,
 * nothing tells them from amounts.
 *
 * @throws ResultTooLarge when there are more than `instancesOfAmountsMax`
 */
export function instancesOfAmounts(
  rows: readonly TransferRow[],
  tokens: ReadonlyMap<Address, TokenRecord['state']>,
): Iterable<InstanceKey> {
  const ids = new Map<string, InstanceKey>()
  for (const row of rows) {
    const { token, tokenId } = transferOf(row, tokens.get(row.token) ?? null)
    if (tokenId !== null) ids.set(instanceKey({ token, tokenId }), { token, tokenId })
  }
  if (ids.size > instancesOfAmountsMax) {
    throw new ResultTooLarge(`${ids.size} instances of a page, at most ${instancesOfAmountsMax}`)
  }
  return ids.values()
}
