import { z } from 'zod'
import { coinPrice, coinPriceKey } from '../../../libs/topics/coin-prices.ts'
import { type ImportKind, invalid, quoted } from './imported.ts'

/** JSON numbers have a form of their own; those with an exponent are refused as text is. */
const price = z.union([z.string(), z.number().transform(String)])
const form = z.union([
  price.transform((said) => ({ day: null, price: said })),
  z.object({ day: z.string().nullable().default(null), price }),
])

/** Prices of the coin: a JSON object by day, a JSON list or CSV with `day` and `price`. */
export const importPrices: ImportKind = {
  topic: 'coin-prices',
  read({ key, value }, { time, chainId }) {
    const { data } = form.safeParse(value)
    if (data === undefined) return invalid(`no price: ${quoted(value)}`)
    const day = key ?? data.day ?? ''
    const moment = day.trim()
    const { data: fact } = coinPrice.safeParse({ chainId, moment, time, price: data.price.trim() })
    if (fact === undefined) {
      return invalid(
        `neither a day (YYYY-MM-DD, or now) with a plain decimal price: ${quoted(day)}, ${quoted(data.price)}`,
      )
    }
    return { facts: [{ key: coinPriceKey(fact), message: fact }] }
  },
}
