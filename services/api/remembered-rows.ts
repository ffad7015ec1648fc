import type { Address, Hex } from '../../libs/chain/hex.ts'
import { type AbiKey, contractOf } from '../../libs/queries/contract-abis.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import type { AsksFor } from './asks.ts'
import type { Shared } from './look-up.ts'
import type { Moved } from './moved.ts'
import { Remembered } from './remembered.ts'

interface SharedForm {
  readonly asks: AsksFor
  readonly moved: Moved
  readonly metrics: Metrics
  /** Rows of each table. */
  readonly rowsMax: number
  /** The step of chain time that it is now. */
  readonly step: () => number | null
}

/** What many pages look up, remembered by this process. */
export function sharedOf({ asks, moved, metrics, rowsMax, step }: SharedForm): Shared {
  const form = (family: string) => ({
    family,
    moved,
    rowsMax,
    step,
    onReads: (outcome: 'hit' | 'miss', count: number) =>
      metrics.cacheReads.inc({ cache: family, outcome }, count),
  })
  const tokens = new Remembered({
    ...form('token_state'),
    ask: (keys: readonly Address[], reading) => asks(reading).tokenStates(keys),
  })
  const tokenFacts = new Remembered({
    ...form('token_market'),
    ask: (keys: readonly Address[], reading) => asks(reading).tokenFacts(keys),
  })
  const addresses = new Remembered({
    ...form('address_state'),
    ask: (keys: readonly Address[], reading) => asks(reading).addressStates(keys),
  })
  const addressFacts = new Remembered({
    ...form('address_labels'),
    ask: (keys: readonly Address[], reading) => asks(reading).addressFacts(keys),
  })
  const abiEntries = new Remembered({
    ...form('contract_abis'),
    subjectOf: contractOf,
    ask: (keys: readonly AbiKey[], reading) => asks(reading).abiEntries(keys),
  })
  const signatures = new Remembered({
    ...form('signatures'),
    ask: (keys: readonly Hex[], reading) => asks(reading).signatures(keys),
  })
  const coinPrices = new Remembered({
    ...form('prices'),
    ask: (keys, reading) => asks(reading).coinPrices(keys),
  })
  return {
    tokens: (subjects, looking) => tokens.get(subjects, looking),
    tokenFacts: (subjects, looking) => tokenFacts.get(subjects, looking),
    addresses: (subjects, looking) => addresses.get(subjects, looking),
    addressFacts: (subjects, looking) => addressFacts.get(subjects, looking),
    abiEntries: (keys, looking) => abiEntries.get(keys, looking),
    signatures: (selectors, looking) => signatures.get(selectors, looking),
    coinPrices: (moments, looking) => coinPrices.get(moments, looking),
  }
}
