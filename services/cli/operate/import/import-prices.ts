import { z } from 'zod'
import { coinPrice, coinPriceKey } from '../../../../libs/topics/facts/coin-prices.ts'
import { tokenFact, tokenFactKey } from '../../../../libs/topics/facts/token-facts.ts'
import { addressIn, type Imported, type ImportKind, invalid, quoted } from './imported.ts'

/** JSON numbers print with an exponent where they are small or large, as text may be. */
const price = z.union([z.string(), z.number().transform(String)])
/** Of a column that may be left empty. */
const figure = z
  .union([price, z.null()])
  .default(null)
  .transform((text) => text?.trim() || null)
const named = z.object({
  day: z.string().default(''),
  token: z.string().default(''),
  /** Null: the token has no price any more. */
  price: z.union([price, z.null()]),
  volume_24h: figure,
  market_cap: figure,
  circulating_supply: figure,
})
const form = z.union([
  z.union([price, z.null()]).transform((value) => named.parse({ price: value })),
  named.extend({ day: named.shape.day.nullable(), token: named.shape.token.nullable() }),
])
type Priced = z.output<typeof form>

const tokens = 'token-facts'

/**
 * Prices of the coin and of tokens: a JSON object by day or token, a JSON list or CSV with `day` or
 * `token`, and `price`. A token's price replaces its previous market fact as a whole.
 */
export const importPrices: ImportKind = {
  topic: 'coin-prices',
  otherTopics: [tokens],
  read({ key, value }, { time, chainId }) {
    const { data } = form.safeParse(value)
    if (data === undefined) return invalid(`no price: ${quoted(value)}`)
    const [day, token] = [data.day?.trim() ?? '', data.token?.trim() ?? '']
    if (day !== '' && token !== '') return invalid(`both a day and a token: ${quoted(value)}`)
    const subject = (key ?? (token || day)).trim()
    return token !== '' || /^0x/i.test(subject)
      ? tokenPrice(subject, data, time)
      : coinPriceOf(subject, data, { time, chainId })
  },
}

function tokenPrice(subject: string, value: Priced, time: number): Imported {
  const token = addressIn(subject)
  if (token === null) return invalid(`not an address: ${quoted(subject)}`)
  const { data: fact } = tokenFact.safeParse({
    kind: 'market',
    token,
    time,
    exchangeRate: value.price?.trim() ?? null,
    volume24h: value.volume_24h,
    marketCap: value.market_cap,
    circulatingSupply: value.circulating_supply,
  })
  if (fact === undefined) return invalid(`no decimal numbers: ${quoted(value)}`)
  return { facts: [{ key: tokenFactKey(fact), message: fact, topic: tokens }] }
}

function coinPriceOf(
  moment: string,
  value: Priced,
  context: { readonly time: number; readonly chainId: number | null },
): Imported {
  const text = value.price ?? ''
  const { data: fact } = coinPrice.safeParse({ ...context, moment, price: text.trim() })
  if (fact !== undefined) return { facts: [{ key: coinPriceKey(fact), message: fact }] }
  return invalid(
    'neither a token nor a day (YYYY-MM-DD, or now) with a decimal price: ' +
      `${quoted(moment)}, ${quoted(text)}`,
  )
}
