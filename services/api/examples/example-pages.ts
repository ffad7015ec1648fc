import { z } from 'zod'
import { jsonInPieces } from '../../../libs/chain/json-in-pieces.ts'
import { type Pause, pauses } from '../../../libs/chain/pauses.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { routes } from '../endpoints/routes.ts'
import type { Subjects } from './subjects.ts'

export interface ExamplePage {
  readonly what: string
  /** Of its endpoint, as declared. */
  readonly route: string
  /** The address or hash in it. */
  readonly subject: string
  readonly path: string
  /** Whether the response has nothing to show: none of those tried for this endpoint has more. */
  readonly isEmpty: boolean
}

/**
 * Queries the API for subjects with a response, preferably not an empty one. Endpoints without one
 * are omitted. Stops when the signal aborts. Pauses where responses have megabytes.
 */
export async function examplePages(
  subjects: Subjects,
  handler: HttpHandler,
  signal: AbortSignal,
): Promise<ExamplePage[]> {
  const asking = { handler, signal, pause: pauses() }
  const found = await Promise.all(
    routes.map(({ path: route, example: { what, of } }) => {
      const others = route.includes('/addresses/') ? subjects.addresses.slice(0, 1) : []
      const candidates = [...subjects[of], ...others].map((subject) => {
        const path = route.replace(/\{\w+\}/, subject)
        return { what, route, subject, path }
      })
      return bestOf(candidates, asking)
    }),
  )
  return found.filter((page) => page !== undefined)
}

/** No client has it: a client on this host shares no queue with the search. */
const noClient = '0.0.0.0'

interface Asking {
  readonly handler: HttpHandler
  readonly signal: AbortSignal
  readonly pause: Pause
}

/** The first one with something to show, else the first one that is answered. */
async function bestOf(
  candidates: readonly Omit<ExamplePage, 'isEmpty'>[],
  { handler, signal, pause }: Asking,
): Promise<ExamplePage | undefined> {
  let empty: ExamplePage | undefined
  for (const page of candidates) {
    if (signal.aborted) return undefined
    const { status, body } = await handler({
      ...{ method: 'GET', path: page.path, query: '', headers: {} },
      ...{ client: noClient, isOwn: true },
    })
    if (status !== 200) continue
    if (await showsSomething(body, pause)) return { ...page, isEmpty: false }
    empty ??= { ...page, isEmpty: true }
  }
  return empty
}

/** A non-empty response body of any endpoint: a row, a summary, a name. */
const showing = z.union([
  z.object({ items: z.array(z.unknown()).min(1) }),
  z.array(z.unknown()).min(1),
  z.object({ data: z.object({ summaries: z.array(z.unknown()).min(1) }) }),
  z.object({ name: z.string() }),
  z.object({ symbol: z.string() }),
])

async function showsSomething(body: Buffer, pause: Pause): Promise<boolean> {
  const keep = (_path: string, element: unknown) => element
  return showing.safeParse(await jsonInPieces(body, { keep, pause })).success
}
