import type { Metrics } from '../../libs/signals/metrics.ts'
import type { Asks } from './asks.ts'
import type { Shared } from './look-up.ts'
import type { Moved } from './moved.ts'
import { Remembered } from './remembered.ts'

interface SharedForm {
  readonly asks: Asks
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
  const tokens = new Remembered({ ...form('token_state'), ask: asks.tokenStates })
  const tokenFacts = new Remembered({ ...form('token_market'), ask: asks.tokenFacts })
  const addresses = new Remembered({ ...form('address_state'), ask: asks.addressStates })
  const addressFacts = new Remembered({ ...form('address_labels'), ask: asks.addressFacts })
  const coinPrices = new Remembered({ ...form('prices'), ask: asks.coinPrices })
  return {
    tokens: (subjects, looking) => tokens.get(subjects, looking),
    tokenFacts: (subjects, looking) => tokenFacts.get(subjects, looking),
    addresses: (subjects, looking) => addresses.get(subjects, looking),
    addressFacts: (subjects, looking) => addressFacts.get(subjects, looking),
    coinPrices: (moments, looking) => coinPrices.get(moments, looking),
  }
}
