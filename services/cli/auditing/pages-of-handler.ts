import { jsonInPieces } from '../../../libs/chain/json-in-pieces.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { ExplorerError, type FetchPage } from '../operate/explorer/explorer.ts'

/** No client has it. */
const noClient = '0.0.0.0'
const keep = (_path: string, element: unknown) => element

/** Pages of the API of this process, without a socket; none once the signal has aborted. */
export function pagesOfHandler(handler: HttpHandler, signal: AbortSignal): FetchPage {
  // Bodies have megabytes at most: clients are answered between their pieces.
  const pause = pauses()
  return async (path, query) => {
    if (signal.aborted) throw new ExplorerError('was not asked: the process is stopping')
    const { status, headers, body } = await handler({
      ...{ method: 'GET', path, query: new URLSearchParams(query).toString(), headers: {} },
      ...{ client: noClient, isOwn: true },
    })
    if (status >= 500) throw new ExplorerError(`returned ${status}`)
    const head = headers['x-indexed-block']
    return {
      status,
      body: await jsonInPieces(body, { keep, pause }),
      head: head === undefined ? null : Number(head),
    }
  }
}
