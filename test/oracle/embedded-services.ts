import { z } from 'zod'
import type { Address } from '../../libs/chain/hex.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import type { Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { checkDeclared } from '../../libs/presenters/testing/declared.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type TokenFact, tokenFactKey } from '../../libs/topics/facts/token-facts.ts'
import { startApi } from '../../services/api/api.ts'
import { startDimensions } from '../../services/projector/facts/dimensions.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { type TestStore, testStore } from '../support/engine.ts'
import { until } from '../support/until.ts'
import type { Get } from './walk.ts'

/** All between topic `blocks` and an answer, on a database of its own. */
export interface EmbeddedServices {
  readonly eventLog: EventLog
  readonly store: Store
  readonly get: Get
  /** The API above the socket. */
  readonly handler: HttpHandler
  readonly tables: Pick<TestStore, 'store' | 'address' | 'database'>
  /** Resolves when the api knows that everything up to `position`, block `block`, can be read. */
  reached(position: number, block: number): Promise<void>
  /** Resolves when the lists of a holder, who must hold two tokens, are ordered by these rates. */
  rated(rates: ReadonlyMap<Address, string>, at: RatedAt): Promise<void>
  stop(): Promise<void>
}

interface RatedAt {
  /** Hours since 1970. */
  readonly hour: number
  readonly holder: Address
}

const firstPage = z.object({ next_page_params: z.object({ fiat_value: z.string().nullable() }) })

export async function startEmbedded(chainId: number): Promise<EmbeddedServices> {
  const eventLog = memoryEventLog()
  const { drop, ...tables } = await testStore()
  const { store } = tables
  const projectors = [ledger, stateGroup].map((group) =>
    startProjector({ group, eventLog, store, state: memoryStateStore() }),
  )
  const dimensions = startDimensions({ eventLog, store, state: memoryStateStore(), chainId })
  const metrics = startMetrics()
  // The oracle knows no steps: what is shown is as of the head.
  const limits = { figuresStepSeconds: 0 }
  const api = await startApi({ store, eventLog, chainId, log: silentLog, metrics, limits })

  const ask = (path: string, query: string) =>
    api.handler({ method: 'GET', path, query, headers: {}, client: '127.0.0.1' })

  const get: Get = async (pathAndQuery) => {
    const [path = '', query = ''] = pathAndQuery.split('?')
    const answer = await ask(path, query)
    const body: unknown = JSON.parse(answer.body.toString())
    if (answer.status === 200) checkDeclared(path, body)
    return { status: answer.status, body }
  }

  return {
    eventLog,
    store,
    get,
    handler: api.handler,
    tables,
    async reached(position, block) {
      await Promise.all(projectors.map((projector) => projector.waitFor(position)))
      await until(`the api at block ${block}`, async () => {
        const { headers } = await ask(`/api/v2/addresses/0x${'00'.repeat(20)}/logs`, '')
        return headers['x-indexed-block'] === `${block}`
      })
    },
    async rated(rates, { hour, holder }) {
      const facts: TokenFact[] = [...rates].map(([token, exchangeRate]) => ({
        ...{ kind: 'market', token, time: hour * 3_600, exchangeRate },
        ...{ volume24h: null, marketCap: null, circulatingSupply: null },
      }))
      facts.push({ kind: 'hour', time: hour * 3_600, hour })
      const messages = facts.map((fact) => ({
        key: tokenFactKey(fact),
        value: encodeMessage(fact),
      }))
      await eventLog.append('token-facts', messages)
      await until(`the rates of hour ${hour}`, async () => {
        const { body } = await get(`/api/v2/addresses/${holder}/tokens?items_count=1`)
        return firstPage.parse(body).next_page_params.fiat_value !== null
      })
    },
    async stop() {
      await Promise.all([...projectors, dimensions].map((projector) => projector.stop()))
      await api.stop()
      await eventLog.close()
      await drop()
    },
  }
}
