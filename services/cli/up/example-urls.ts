import { z } from 'zod'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import type { Subjects } from './subjects.ts'

export interface ExamplePage {
  readonly what: string
  readonly path: string
}

interface Page {
  readonly what: string
  readonly path: (subject: string) => string
  readonly of: keyof Subjects
}

const address = (list: string) => (hash: string) => `/api/v2/addresses/${hash}/${list}`
const token = (list: string) => (hash: string) => `/api/v2/tokens/${hash}${list}`
const transaction = (list: string) => (hash: string) => `/api/v2/transactions/${hash}/${list}`

/** Each endpoint once. */
const pages: readonly Page[] = [
  { what: 'tokens an address holds', of: 'recipients', path: address('tokens') },
  { what: 'transactions of an address', of: 'addresses', path: address('transactions') },
  { what: 'all its token balances', of: 'recipients', path: address('token-balances') },
  { what: 'NFTs an address owns', of: 'collectors', path: address('nft') },
  { what: 'transfers of a token', of: 'tokens', path: token('/transfers') },
  { what: 'logs of a contract', of: 'emitters', path: address('logs') },
  { what: 'transfers in a transaction', of: 'transactions', path: transaction('token-transfers') },
  { what: 'holders of a token', of: 'tokens', path: token('/holders') },
  { what: 'what a transaction did', of: 'transactions', path: transaction('summary') },
  { what: 'a token', of: 'tokens', path: token('') },
]

/** All that `worthOpening` can find. */
export const examplePagesCount = pages.length

/**
 * Queries the API for subjects with a non-empty response. Endpoints without one are omitted. Stops
 * when the signal aborts.
 */
export async function exampleUrls(
  subjects: Subjects,
  handler: HttpHandler,
  signal: AbortSignal,
): Promise<ExamplePage[]> {
  const found = await Promise.all(
    pages.map(async ({ what, of, path }) => {
      const paths = subjects[of].map(path)
      return { what, path: await firstShowing(paths, handler, signal) }
    }),
  )
  return found.flatMap(({ what, path }) => (path ? [{ what, path }] : []))
}

async function firstShowing(
  paths: readonly string[],
  handler: HttpHandler,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const path of paths) {
    if (signal.aborted) return undefined
    const asked = { method: 'GET', path, query: '', headers: {}, client: '127.0.0.1' }
    const { status, body } = await handler(asked)
    if (status === 200 && showsSomething(body)) return path
  }
  return undefined
}

/** A non-empty response body of any endpoint: a row, a summary, a name. */
const showing = z.union([
  z.object({ items: z.array(z.unknown()).min(1) }),
  z.array(z.unknown()).min(1),
  z.object({ data: z.object({ summaries: z.array(z.unknown()).min(1) }) }),
  z.object({ name: z.string() }),
  z.object({ symbol: z.string() }),
])

const showsSomething = (body: Buffer): boolean =>
  showing.safeParse(JSON.parse(body.toString())).success
