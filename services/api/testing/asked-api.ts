import { memoryCache } from '../../../libs/adapters/memory/memory-cache.ts'
import { position } from '../../../libs/chain/position.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { checkDeclared } from '../../../libs/presenters/testing/declared.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { sharedOf } from '../api.ts'
import type { Asks } from '../asks.ts'
import { apiHandler } from '../handler.ts'
import { HeadOfGroups, type Reached } from '../head.ts'
import { Moved } from '../moved.ts'
import { Pages } from '../pages.ts'
import { fakeAsks } from './fake-asks.ts'

/** The API on tables that a spec answers itself: all of it but the socket. */
export function askedApi(answers: Partial<Asks> = {}, requestsInFlightMax = 10) {
  const asks = fakeAsks(answers)
  const metrics = startMetrics()
  const head = new HeadOfGroups()
  const moved = new Moved(['token_state', 'address_state', 'token_market', 'address_labels'])
  const hear = (
    group: Reached['group'],
    at: number,
    time: number | null = 1_700_000_000 + 12 * at,
  ) => {
    moved.hear({ moved: {} })
    head.hear({ group, position: position(at), block: 100 + at, time })
  }
  const pages = new Pages({ cache: memoryCache({ bytesMax: 1_000_000 }), now: () => head })
  const shared = sharedOf({ asks, moved, metrics, rowsMax: 1_000 })
  const sources = { asks, shared, pages, head: () => head.head, chainId: 31_337 }
  const handler = apiHandler({ sources, log: silentLog, metrics, requestsInFlightMax })
  return { handler, hear, moved, ask: askerOf(handler) }
}

type Changes = Partial<Omit<HttpRequest, 'path' | 'query'>>

const askerOf =
  (handler: HttpHandler) =>
  async (target: string, changes: Changes = {}): Promise<HttpResponse> => {
    const cut = target.indexOf('?')
    const path = cut < 0 ? target : target.slice(0, cut)
    const response = await handler({
      method: 'GET',
      path,
      query: cut < 0 ? '' : target.slice(cut + 1),
      headers: {},
      client: '127.0.0.1',
      ...changes,
    })
    // Whatever a spec asks for in the plain way, its answer is as the document tells.
    const isPlain = changes.headers === undefined && changes.method === undefined
    if (response.status === 200 && isPlain && path.startsWith('/api/')) {
      checkDeclared(path, bodyOf(response))
    }
    return response
  }

/** The body as JSON. */
export const bodyOf = (response: HttpResponse): unknown =>
  JSON.parse(response.body.toString('utf8'))
