import type { Address, Hex } from '../../../libs/chain/hex.ts'
import { type AbiKey, contractOf } from '../../../libs/queries/contract-abis.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { InvalidationClock } from '../invalidation/invalidation-clock.ts'
import type { ReadsFor } from '../reader/reads.ts'
import type { SharedRows } from '../render/look-up.ts'
import { RowCache } from './row-cache.ts'

interface SharedRowsOptions {
  readonly reads: ReadsFor
  readonly clock: InvalidationClock
  readonly metrics: Metrics
  /** Bound of cached rows, per table. */
  readonly rowsMax: number
  /** The current throttle window. */
  readonly window: () => number | null
}

/** Rows that many pages look up, cached by this process. */
export function sharedRowsOf({
  reads,
  clock,
  metrics,
  rowsMax,
  window,
}: SharedRowsOptions): SharedRows {
  const options = (family: string) => ({
    family,
    clock,
    rowsMax,
    window,
    onReads: (outcome: 'hit' | 'miss', count: number) =>
      metrics.cacheReads.inc({ cache: family, outcome }, count),
  })
  const tokens = new RowCache({
    ...options('token_state'),
    read: (keys: readonly Address[], context) => reads(context).tokenStates(keys),
  })
  const tokenFacts = new RowCache({
    ...options('token_market'),
    read: (keys: readonly Address[], context) => reads(context).tokenFacts(keys),
  })
  const addresses = new RowCache({
    ...options('address_state'),
    read: (keys: readonly Address[], context) => reads(context).addressStates(keys),
  })
  const addressFacts = new RowCache({
    ...options('address_labels'),
    read: (keys: readonly Address[], context) => reads(context).addressFacts(keys),
  })
  const abiEntries = new RowCache({
    ...options('contract_abis'),
    subjectOf: contractOf,
    read: (keys: readonly AbiKey[], context) => reads(context).abiEntries(keys),
  })
  const signatures = new RowCache({
    ...options('signatures'),
    read: (keys: readonly Hex[], context) => reads(context).signatures(keys),
  })
  const coinPrices = new RowCache({
    ...options('prices'),
    read: (keys, context) => reads(context).coinPrices(keys),
  })
  return {
    tokens: (subjects, lookup) => tokens.get(subjects, lookup),
    tokenFacts: (subjects, lookup) => tokenFacts.get(subjects, lookup),
    addresses: (subjects, lookup) => addresses.get(subjects, lookup),
    addressFacts: (subjects, lookup) => addressFacts.get(subjects, lookup),
    abiEntries: (keys, lookup) => abiEntries.get(keys, lookup),
    signatures: (selectors, lookup) => signatures.get(selectors, lookup),
    coinPrices: (moments, lookup) => coinPrices.get(moments, lookup),
  }
}
