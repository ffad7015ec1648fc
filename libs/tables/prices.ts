import { text } from './columns.ts'
import { table } from './table.ts'

export const prices = table({
  name: 'prices',
  serves: 'the coin price now and on the day of a transaction',
  group: 'dimensions',
  source: 'coin-prices',
  /** `now`, or a day as YYYY-MM-DD. */
  key: { moment: text },
  /** Decimal string. */
  columns: { price: text },
  granularity: 512,
})
