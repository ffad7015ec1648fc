import { z } from 'zod'
import { withoutCredentials } from '../../../../libs/adapters/rpc/transport/http-transport.ts'
import { linkedAbort } from '../../../../libs/signals/linked-abort.ts'
import { pause } from '../../../../libs/signals/pause.ts'

/** A page of an explorer. */
export interface ExplorerPage {
  readonly status: number
  readonly body: unknown
  /** Newest block that the page knows of; null if the explorer does not say. */
  readonly head: number | null
}

/** Requests a page of one explorer. @throws ExplorerError */
export type FetchPage = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<ExplorerPage>

/** An explorer returned no page that could be compared. The message contains no URL. */
export class ExplorerError extends Error {
  override readonly name = 'ExplorerError'
}

interface ExplorerOptions {
  /** With or without `/api/v2`. A query, as of an API key, is sent with each request. */
  readonly url: URL
  readonly signal: AbortSignal
  /** Of each wait for a limit of requests. */
  readonly onWait?: (seconds: number) => void
  /** Of tests. */
  readonly send?: typeof fetch
}

const timeoutMs = 30_000
/** Pages have 4 MiB at most; the list of all token balances has no such bound. */
export const bodyBytesMax = 32 * 1024 * 1024
/** After a 429. */
const attemptsMax = 4
const waitMaxSeconds = 60

/** An explorer's API v2 over HTTP. The URL is the operator's: private addresses are allowed. */
export function explorer({ url, send = fetch, ...waiting }: ExplorerOptions): FetchPage {
  const { target, headers } = withoutCredentials(url)
  const { signal } = waiting
  const exchange = (path: string, query: Readonly<Record<string, string>>) =>
    exchanged(send, signal, { url: urlOf(target, path, query), headers })
  let namesHead = true
  return async (path, query) => {
    // Asked first: a page may then know of newer blocks, but not lack those up to the head.
    const newest = namesHead ? null : await newestBlock(exchange)
    const { status, body, indexedBlock } = await withRetries(() => exchange(path, query), waiting)
    if (indexedBlock === null && status === 200) namesHead = false
    return { status, body, head: indexedBlock ?? newest }
  }
}

function urlOf(base: string, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/(?:\/api\/v2)?\/?$/, '') + path
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

interface Exchanged {
  readonly status: number
  readonly body: unknown
  readonly indexedBlock: number | null
}

const blocks = z.array(z.looseObject({ height: z.int().nonnegative() })).min(1)

/** Of an explorer that has no header for it; null if it has no such list either. */
async function newestBlock(
  exchange: (path: string, query: Record<string, string>) => Promise<Exchanged>,
): Promise<number | null> {
  const { body } = await exchange('/api/v2/main-page/blocks', {}).catch(() => ({ body: null }))
  return blocks.safeParse(body).data?.[0]?.height ?? null
}

class TooManyRequests extends ExplorerError {
  readonly afterSeconds: number

  constructor(afterSeconds: number) {
    super('returned 429, too many requests')
    this.afterSeconds = afterSeconds
  }
}

/** Waits as a limit of requests demands it. */
async function withRetries(
  attempt: () => Promise<Exchanged>,
  { signal, onWait }: Pick<ExplorerOptions, 'signal' | 'onWait'>,
): Promise<Exchanged> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TooManyRequests) || attempts === attemptsMax) throw error
      const seconds = Math.min(error.afterSeconds, waitMaxSeconds)
      onWait?.(seconds)
      await pause(seconds * 1_000, signal)
    }
  }
}

interface Request {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

async function exchanged(
  send: typeof fetch,
  stopped: AbortSignal,
  { url, headers }: Request,
): Promise<Exchanged> {
  const { signal, end } = linkedAbort(stopped)
  const tooLate = new ExplorerError(`returned no complete response within ${timeoutMs} ms`)
  const timer = setTimeout(() => end(tooLate), timeoutMs)
  try {
    const response = await send(url, {
      headers: { accept: 'application/json', ...headers },
      // A redirect leads to another server: it must not receive the password.
      redirect: 'manual',
      signal,
    })
    refuseStatus(response)
    const indexedBlock = response.headers.get('x-indexed-block')
    return {
      status: response.status,
      body: await jsonOf(response),
      indexedBlock: indexedBlock === null ? null : Number(indexedBlock),
    }
  } catch (cause) {
    if (cause instanceof ExplorerError) throw cause
    throw new ExplorerError(`cannot be reached: ${reasonOf(cause)}`)
  } finally {
    clearTimeout(timer)
    end()
  }
}

function refuseStatus({ status, headers }: Response): void {
  if (status === 429) throw new TooManyRequests(Number(headers.get('retry-after')) || 1)
  if (status >= 500) throw new ExplorerError(`returned ${status}`)
  if (status >= 300 && status < 400) {
    throw new ExplorerError(`returned ${status}, a redirect: give the URL to which it leads`)
  }
  if (status === 401 || status === 403) throw new ExplorerError(`returned ${status}, access denied`)
}

/** Null for the text of an error that is no JSON. */
async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) {
      throw new ExplorerError(`returned more than ${bodyBytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    if (response.status >= 400) return null
    throw new ExplorerError('returned something other than JSON')
  }
}

/** fetch hides the reason in the cause. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : reasonOf(error.cause)
}
