import { addressType, textType } from './columns.ts'
import { table } from './table.ts'

export const tokenMarket = table({
  name: 'token_market',
  serves: 'rates, supplies, icons and corrections in token objects',
  group: 'dimensions',
  source: 'token-facts',
  key: { token: addressType, kind: textType },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: textType },
  granularity: 512,
  hasThrottledStats: true,
  isCached: true,
})
