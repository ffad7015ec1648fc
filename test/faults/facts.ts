import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type AddressFact, addressFactKey } from '../../libs/topics/facts/address-facts.ts'
import { type TokenFact, tokenFactKey } from '../../libs/topics/facts/token-facts.ts'
import type { Deployment } from './deployment.ts'
import { coin, otherCoin, people } from './planned-traffic.ts'

/** The turn that the last facts are of, in every run. */
export const factsOfEnd = 1_000_000
const time = 1_700_000_000

/** Rates, names and labels of that turn; the last ones published apply. */
export async function publishFacts(eventLog: EventLog, turn: number): Promise<void> {
  const market: TokenFact = {
    token: coin,
    time,
    kind: 'market',
    exchangeRate: `${turn}.5`,
    volume24h: null,
    marketCap: null,
    circulatingSupply: null,
  }
  const correction: TokenFact = {
    token: otherCoin,
    time,
    kind: 'correction',
    name: `Named ${turn}`,
    symbol: null,
    decimals: null,
    isScam: false,
  }
  const labels = people.slice(0, 3).map(
    (address): AddressFact => ({
      address,
      time,
      kind: 'ens',
      name: `person-${turn}.eth`,
    }),
  )
  const ofTokens = [market, correction].map((fact) => ({
    key: tokenFactKey(fact),
    value: encodeMessage(fact),
  }))
  const names = labels.map((fact) => ({ key: addressFactKey(fact), value: encodeMessage(fact) }))
  await untilPublished(eventLog, 'token-facts', ofTokens)
  await untilPublished(eventLog, 'address-facts', names)
}

/**
 * Publishes facts, then lets the chain take a step: figures beside the names of tokens are shown in
 * steps of its time, so that only a later block shows all as it is now.
 */
export async function settled(deployed: Deployment, turn: number, step: () => void): Promise<void> {
  await publishFacts(deployed.eventLog, turn)
  await deployed.caughtUp(turn)
  step()
  await deployed.caughtUp(turn)
}

type Messages = Parameters<EventLog['append']>[1]

/** At least once: publishing twice changes nothing. */
async function untilPublished(
  eventLog: EventLog,
  topic: string,
  messages: Messages,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await eventLog.append(topic, messages)
      return
    } catch (error) {
      if (!(error instanceof LogUnavailable) || tries === triesMax) throw error
    }
  }
}

const triesMax = 20
