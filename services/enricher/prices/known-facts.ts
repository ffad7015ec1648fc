import type { EventLog } from '../../../libs/ports/event-log.ts'
import { decodeMessage } from '../../../libs/topics/codec.ts'
import { coinPrice } from '../../../libs/topics/facts/coin-prices.ts'
import { tokenFact } from '../../../libs/topics/facts/token-facts.ts'
import { storedFacts } from '../reading/stored-facts.ts'
import type { Figures } from './read-answer.ts'
import type { TokenTurns } from './token-turns.ts'

export const tokenTopic = 'token-facts'
export const coinTopic = 'coin-prices'
export const priceTopics = [tokenTopic, coinTopic] as const

const nothing: Figures = {
  ...{ price: null, volume24h: null, marketCap: null, circulatingSupply: null, icon: null },
}

/** Gives turns to the tokens that have a price or an icon by the topic. @throws LogUnavailable */
export async function restoreTokens(
  eventLog: EventLog,
  turns: TokenTurns,
  signal: AbortSignal,
): Promise<void> {
  for await (const values of storedFacts(eventLog, tokenTopic, signal)) {
    for (const value of values) restoreToken(turns, value)
  }
}

function restoreToken(turns: TokenTurns, value: Uint8Array): void {
  const decoded = decodeMessage(tokenFact, value)
  if ('invalid' in decoded) return
  const fact = decoded.message
  if (fact.kind !== 'market' && fact.kind !== 'icon') return
  const before = turns.known(fact.token).published ?? nothing
  if (fact.kind === 'icon') turns.restore(fact.token, { ...before, icon: fact.url })
  else {
    const { exchangeRate: price, volume24h, marketCap, circulatingSupply } = fact
    const figures = { price, volume24h, marketCap, circulatingSupply }
    turns.restore(fact.token, { ...before, ...figures })
  }
}

/** Prices of the coin by day, or `now`. @throws LogUnavailable */
export async function knownCoinPrices(
  eventLog: EventLog,
  chainId: number,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for await (const values of storedFacts(eventLog, coinTopic, signal)) {
    for (const value of values) {
      const decoded = decodeMessage(coinPrice, value)
      if ('invalid' in decoded || decoded.message.chainId !== chainId) continue
      known.set(decoded.message.moment, decoded.message.price)
    }
  }
  return known
}
