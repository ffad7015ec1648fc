import type { Address } from '../../../libs/chain/hex.ts'
import { type CoinPrice, coinPriceKey } from '../../../libs/topics/facts/coin-prices.ts'
import { type TokenFact, tokenFactKey } from '../../../libs/topics/facts/token-facts.ts'
import { beginOf, type CoinTurns, now } from './coin-turns.ts'
import { judge, type Known, type PriceResult } from './judge-figures.ts'
import { coinTopic, tokenTopic } from './known-facts.ts'
import { filledIn, type PriceSource, type TokensSource } from './price-source.ts'
import { type Figures, figuresIn } from './read-answer.ts'
import type { TokenTurns } from './token-turns.ts'

export type PriceQuestion =
  | { readonly kind: 'coin'; readonly moment: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly Address[] }

export interface Fact {
  readonly topic: string
  readonly key: string
  readonly fact: TokenFact | CoinPrice
}

/** A price that was asked for, and the facts that it makes. */
export type SettledPrice = { readonly judged: PriceResult; readonly facts: readonly Fact[] } & (
  | { readonly kind: 'coin'; readonly moment: string; readonly price: string | null }
  | { readonly kind: 'tokens'; readonly token: Address; readonly known: Known }
)

/** What stands in the URL and in the names of members for a day: its beginning, in UTC. */
const ofDay = (day: string) => ({
  date: day,
  day_month_year: day.split('-').reverse().join('-'),
  time: `${beginOf(day)}`,
})

/** @throws TypeError where the source has nothing of the kind, which `next` never asks for */
export function urlOf(question: PriceQuestion, { coin, history, tokens }: PriceSource): string {
  if (question.kind === 'tokens') return urlOfTokens(question.tokens, required(tokens))
  if (question.moment === now) return required(coin).url
  return filledIn(required(history).url, ofDay(question.moment))
}

function urlOfTokens(addresses: readonly Address[], { url, addressForm }: TokensSource): string {
  const spelled = addresses.map((address) => filledIn(addressForm, { address }))
  return filledIn(url, { addresses: spelled.map(encodeURIComponent).join(',') })
}

interface Answered {
  readonly question: PriceQuestion
  /** Null: the source knows none of it. */
  readonly json: unknown
  /** Time of the facts. */
  readonly seconds: number
}

interface SettleParts {
  readonly source: PriceSource
  readonly chainId: number
  readonly coin: CoinTurns
  readonly turns: TokenTurns
}

export function settledBy(answered: Answered, parts: SettleParts): readonly SettledPrice[] {
  const { question } = answered
  if (question.kind === 'coin') return [settledCoin(question.moment, answered, parts)]
  return question.tokens.map((token) => settledToken(token, answered, parts))
}

function settledCoin(
  moment: string,
  { json, seconds: time }: Answered,
  { source, coin, chainId }: SettleParts,
): SettledPrice {
  const isNow = moment === now
  const { price: path } = required(isNow ? source.coin : source.history)
  const { price } = figuresIn(json, { price: path }, isNow ? {} : ofDay(moment))
  const judged = coin.judged(moment, price)
  const settled = { kind: 'coin', moment, price, judged } as const
  if (judged !== 'published' || price === null) return { ...settled, facts: [] }
  const fact = { chainId, moment, time, price }
  return { ...settled, facts: [{ topic: coinTopic, key: coinPriceKey(fact), fact }] }
}

function settledToken(
  token: Address,
  { json, seconds: time }: Answered,
  { source, turns }: SettleParts,
): SettledPrice {
  const tokens = required(source.tokens)
  const figures = figuresIn(json, tokens, { address: token })
  const known = turns.known(token)
  const judged = judge(known, figures, source)
  const { published } = known
  const settled = { kind: 'tokens', token, judged } as const
  if (judged === 'held') return { ...settled, known: { published, held: figures }, facts: [] }
  if (judged !== 'published') return { ...settled, known: { published, held: null }, facts: [] }
  const facts = factsOf({ token, time }, figures, {
    published,
    hasIcons: tokens.icon !== undefined,
  })
  return { ...settled, known: { published: figures, held: null }, facts }
}

interface Before {
  readonly published: Figures | null
  /** Else an icon that somebody else published stays. */
  readonly hasIcons: boolean
}

function factsOf(
  of: { readonly token: Address; readonly time: number },
  { price: exchangeRate, volume24h, marketCap, circulatingSupply, icon: url }: Figures,
  { published, hasIcons }: Before,
): readonly Fact[] {
  const market = { ...of, kind: 'market', exchangeRate, volume24h, marketCap, circulatingSupply }
  const icon = { ...of, kind: 'icon', url } as const
  const isOtherIcon = hasIcons && url !== (published?.icon ?? null)
  return [{ ...market, kind: 'market' } as const, ...(isOtherIcon ? [icon] : [])].map((fact) => ({
    topic: tokenTopic,
    key: tokenFactKey(fact),
    fact,
  }))
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new TypeError('the source has nothing of the kind')
  return part
}
