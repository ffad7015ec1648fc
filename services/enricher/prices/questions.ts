import type { Address } from '../../../libs/chain/hex.ts'
import { type CoinPrice, coinPriceKey } from '../../../libs/topics/facts/coin-prices.ts'
import { type TokenFact, tokenFactKey } from '../../../libs/topics/facts/token-facts.ts'
import { beginOf, type CoinTurns, now } from './coin-turns.ts'
import { type Held, judge, type Known, type PriceResult } from './judge-figures.ts'
import { coinTopic, tokenTopic } from './known-facts.ts'
import { filledIn, type PriceSource, type TokensSource } from './price-source.ts'
import { type Figures, PriceAnswer } from './read-answer.ts'
import type { TokenTurns } from './token-turns.ts'

export const priceKinds = ['coin', 'history', 'tokens'] as const
export type PriceKind = (typeof priceKinds)[number]

export type PriceQuestion =
  | { readonly kind: 'coin' | 'history'; readonly moment: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly Address[] }

interface PriceFact {
  readonly topic: string
  readonly key: string
  readonly fact: TokenFact | CoinPrice
}

/** A price that was asked for, and the facts that it makes. */
export type SettledPrice = {
  readonly result: PriceResult
  readonly facts: readonly PriceFact[]
} & (
  | { readonly moment: string; readonly price: string | null }
  | { readonly token: Address; readonly known: Known }
)

/** What stands in the URL and in the names of members for a day. */
const ofDay = (day: string) => ({
  date: day,
  day_month_year: day.split('-').reverse().join('-'),
  time: `${beginOf(day)}`,
})

/** @throws TypeError where the source has nothing of the kind, which is never asked for */
export function urlOf(question: PriceQuestion, { coin, history, tokens }: PriceSource): string {
  if (question.kind === 'tokens') return urlOfTokens(question.tokens, required(tokens))
  if (question.kind === 'coin') return required(coin).url
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
  /** In ms of the clock that never jumps. */
  readonly at: number
}

interface SettleParts {
  readonly source: PriceSource
  readonly chainId: number
  readonly coin: CoinTurns
  readonly turns: TokenTurns
  readonly goneAfterMs: number
}

export function settledBy(answered: Answered, parts: SettleParts): readonly SettledPrice[] {
  const { question } = answered
  const answer = new PriceAnswer(answered.json)
  if (question.kind !== 'tokens') return [settledCoin(question, { ...answered, answer }, parts)]
  return question.tokens.map((token) => settledToken(token, { ...answered, answer }, parts))
}

type Read = Omit<Answered, 'question' | 'json'> & { readonly answer: PriceAnswer }

function settledCoin(
  { kind, moment }: Exclude<PriceQuestion, { kind: 'tokens' }>,
  { answer, seconds: time }: Read,
  { source, coin, chainId }: SettleParts,
): SettledPrice {
  const { price: path } = required(kind === 'coin' ? source.coin : source.history)
  const { price } = answer.figures({ price: path }, moment === now ? {} : ofDay(moment))
  const result = coin.judged(moment, price)
  if (result !== 'published' || price === null) return { moment, price, result, facts: [] }
  const fact = { chainId, moment, time, price }
  return { moment, price, result, facts: [{ topic: coinTopic, key: coinPriceKey(fact), fact }] }
}

function settledToken(
  token: Address,
  { answer, seconds: time, at }: Read,
  { source, turns, goneAfterMs }: SettleParts,
): SettledPrice {
  const paths = required(source.tokens)
  const known = turns.known(token)
  const figures = together(answer.figures(paths, { address: token }), paths, known.published)
  const { jumpFactor } = source
  const result = judge(known, figures, { jumpFactor, goneAfterMs, now: at })
  const isOwn = known.isOwn || figures.price !== null
  if (result === 'published') {
    const facts = factsOf({ token, time }, figures, known.published)
    return { token, result, facts, known: { published: figures, isOwn, held: null } }
  }
  const held = result === 'held' ? heldBy(figures, at, known.held) : null
  return { token, result, facts: [], known: { ...known, isOwn, held } }
}

/** How long a price is gone counts from the first answer without it. */
const heldBy = (figures: Figures, at: number, before: Held | null): Held =>
  figures.price === null && before?.figures.price === null ? before : { figures, at }

/** Of what the source has no place for, or no icon, that of others stays. */
function together(figures: Figures, paths: TokensSource, published: Figures | null): Figures {
  if (published === null) return figures
  return {
    price: figures.price,
    volume24h: paths.volume24h ? figures.volume24h : published.volume24h,
    marketCap: paths.marketCap ? figures.marketCap : published.marketCap,
    circulatingSupply: paths.circulatingSupply
      ? figures.circulatingSupply
      : published.circulatingSupply,
    icon: figures.icon ?? published.icon,
  }
}

function factsOf(
  of: { readonly token: Address; readonly time: number },
  { price: exchangeRate, volume24h, marketCap, circulatingSupply, icon: url }: Figures,
  published: Figures | null,
): readonly PriceFact[] {
  const figures = { exchangeRate, volume24h, marketCap, circulatingSupply }
  const market = { ...of, kind: 'market', ...figures } as const
  const icon = { ...of, kind: 'icon', url } as const
  const isOtherIcon = url !== (published?.icon ?? null)
  return [market, ...(isOtherIcon ? [icon] : [])].map((fact) => ({
    topic: tokenTopic,
    key: tokenFactKey(fact),
    fact,
  }))
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new TypeError('the source has nothing of the kind')
  return part
}
