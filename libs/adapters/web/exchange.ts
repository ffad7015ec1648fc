import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { MIMEType } from 'node:util'
import type { WebDocument } from '../../ports/web.ts'
import { version } from '../../signals/version.ts'
import { acceptedEncodings, bodyTooLarge, decodedBody, encodingOf } from './decoded-body.ts'
import { FetchFailure, failureOf } from './fetch-failure.ts'

const headers = {
  accept: '*/*',
  'accept-encoding': acceptedEncodings,
  'user-agent': `foldscan/${version}`,
  connection: 'close',
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])
/** Heads before that of the response, each of which may be as large as one. */
const interimResponsesMax = 8
const mediaTypeCharactersMax = 255

export interface ExchangeLimits {
  readonly headBytesMax: number
  /** Of the body, as it is sent and as it is decoded. */
  readonly bytesMax: number
}

export interface Redirect {
  readonly kind: 'redirect'
  readonly location: string
}

/**
 * One request on a new connection, which is closed with the response: a server must not influence
 * any other request, and nothing is kept for the many hosts that are asked once. Without an agent,
 * so that no proxy of the environment is asked.
 * @throws FetchFailure, or the reason of the signal
 */
export async function exchange(
  { url, socket }: { readonly url: URL; readonly socket: Socket },
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<WebDocument | Redirect> {
  // It would never say so again.
  if (socket.destroyed) throw new FetchFailure('broken-response', 'the connection was closed')
  const sent = request({
    createConnection: () => socket,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers },
    maxHeaderSize: limits.headBytesMax,
    insecureHTTPParser: false,
    signal,
  })
  // What is wrong with a response after its head fails the request, too, and says more.
  let failed: unknown = null
  sent.on('error', (cause) => {
    failed ??= cause
  })
  boundInterimResponses(sent)
  try {
    const response = await headOf(sent)
    const result = await resultOf(url, response, limits)
    // A body without a length looks whole wherever it ends.
    signal.throwIfAborted()
    return result
  } catch (cause) {
    signal.throwIfAborted()
    throw exchangeFailure(failed ?? cause, limits)
  } finally {
    sent.destroy()
    socket.destroy()
  }
}

function headOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', (response) => {
      // Stays: a body that is not read may fail, too.
      response.on('error', () => {})
      resolve(response)
    })
    sent.once('error', reject)
    sent.once('close', () => reject(new Error('the connection was closed')))
    sent.end()
  })
}

/** The head of each is bounded, their number is not. */
function boundInterimResponses(sent: ClientRequest): void {
  let count = 0
  sent.on('information', () => {
    if (++count <= interimResponsesMax) return
    const sentence = `more than ${interimResponsesMax} interim responses`
    sent.destroy(new FetchFailure('broken-response', sentence))
  })
}

async function resultOf(
  url: URL,
  response: IncomingMessage,
  { bytesMax }: ExchangeLimits,
): Promise<WebDocument | Redirect> {
  const { statusCode = 0, headersDistinct: received } = response
  const [location, ...otherLocations] = received.location ?? []
  const isRedirect = redirectStatuses.has(statusCode) && otherLocations.length === 0
  if (isRedirect && location !== undefined) {
    return { kind: 'redirect', location: Buffer.from(location, 'latin1').toString() }
  }
  if (statusCode !== 200) {
    throw new FetchFailure('status', `the server answers ${statusCode}`, statusCode)
  }
  const encoding = encodingOf(received['content-encoding'] ?? [])
  if (Number(response.headers['content-length']) > bytesMax) throw bodyTooLarge(bytesMax)
  const bytes = await decodedBody(response, encoding, bytesMax)
  return { kind: 'fetched', bytes, mediaType: mediaTypeOf(received['content-type']), url: url.href }
}

function mediaTypeOf(fields: readonly string[] = []): string | null {
  const [field, ...others] = fields
  if (field === undefined || others.length > 0) return null
  try {
    const { essence } = new MIMEType(field)
    return essence.length > mediaTypeCharactersMax ? null : essence
  } catch {
    return null
  }
}

function exchangeFailure(cause: unknown, { headBytesMax }: ExchangeLimits): FetchFailure {
  if (cause instanceof Error && 'code' in cause && cause.code === 'HPE_HEADER_OVERFLOW') {
    return new FetchFailure('too-large', `a head has more than ${headBytesMax} bytes`)
  }
  return failureOf(cause, 'broken-response')
}
