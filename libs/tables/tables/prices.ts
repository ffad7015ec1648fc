import { textType } from '../declare/columns.ts'
import { table } from '../declare/table.ts'

export const prices = table({
  name: 'prices',
  serves: 'the coin price now and on the day of a transaction',
  group: 'dimensions',
  source: 'coin-prices',
  /** `now`, or a day as YYYY-MM-DD. */
  key: { moment: textType },
  /** Decimal string. */
  columns: { price: textType },
  granularity: 512,
  isCached: true,
})
