import { type Address, withoutPrefix, zeroAddress } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/declare/table.ts'
import {
  ratedTokensMax,
  rateHours,
  rateHourToken,
  rateSlotOf,
  tokenRates as table,
} from '../tables/tables/tokens.ts'
import { query } from './reading/query.ts'
import { question } from './reading/question.ts'
import { type ListSource, readList, unfiltered } from './reading/read-list.ts'

type Rate = Row<typeof table>

/** Each process reads all of an hour, once: the budget is that of 10,000 rated tokens. */
const tokenRatesQuery = query({
  file: new URL('./token-rates.sql', import.meta.url),
  table,
  budget: { rowsMax: 32_000, bytesMax: 3_000_000 },
})

/** Of one slot: those of the hour, and those that were withdrawn since. */
const rowsMax = 4 * ratedTokensMax

/**
 * The rates by which balances are ordered in an hour of chain time: decimal strings by token.
 * @returns null where they are not there: not yet, not any more, or not all of them
 */
export const ratesOfHour = question({
  table,
  subjects: (_hour: number) => [rateHours],
  read: readRates,
})

async function readRates(store: Store, hour: number): Promise<ReadonlyMap<Address, string> | null> {
  const slot = rateSlotOf(hour)
  const source: ListSource<Rate> = {
    table,
    cursorKey: ({ token }) => token,
    fetch: (last, rowsMax) =>
      tokenRatesQuery.run(store, {
        slot,
        token: withoutPrefix(last?.token ?? zeroAddress),
        rowsMax,
      }),
    fetchRowsMax: 32_768,
  }
  const rows = await readList(source, rowsMax, unfiltered)
  const own = rows.find((row) => row.token === rateHourToken && row.hour === hour)
  // All rates of an hour are made of one message: those of another one are not of this hour.
  const ofHour = rows.filter(({ position }) => position === own?.position)
  const rates = new Map(ofHour.map(({ token, rate }) => [token, rate]))
  rates.delete(rateHourToken)
  return own?.rate === String(rates.size) ? rates : null
}
