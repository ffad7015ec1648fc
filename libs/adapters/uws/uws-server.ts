import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_listen_socket,
} from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import pTimeout from 'p-timeout'
import type { HttpHandler, HttpResponse, HttpServer, PreparedHeaders } from '../../ports/http.ts'
import { events } from '../../signals/events.ts'
import { OpenConnections, type OpenConnectionsOptions } from './open-connections.ts'
import { OpenStreams } from './open-streams.ts'
import { ReceivedRequest } from './received-request.ts'
import { smallBytesMax, UnsentBodies, type UnsentBodiesOptions } from './unsent-bodies.ts'
import { whyNotListening } from './why-not-listening.ts'

interface UwsServerOptions extends UnsentBodiesOptions, OpenConnectionsOptions {
  readonly metrics?: (UnsentBodiesOptions & OpenConnectionsOptions)['metrics']
  /** Loopback by default. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly handler: HttpHandler
  /** Responses without a body of a connection, on average, until one closes it. */
  readonly bodilessMean?: number
  /** How long `close` waits for requests in flight, and for bodies that clients are reading. */
  readonly stopTimeoutMs?: number
}

/**
 * Request line and headers together; what has arrived of them is held until the rest comes, at most
 * 12 s. All connections that a process may have (16,384 by default) take 256 MiB so, which a limit
 * of 768 MiB has room for. The library answers 431 to a larger head, but only if it does
 * not come in one read of the socket (512 KiB): a handler has to have a bound of its own.
 */
const headBytesMax = 16 * 1024
const stopTimeoutMsDefault = 2_000
/**
 * The library buffers what a socket does not take of headers, without a bound: a client that never
 * reads could have it buffer responses without a body, of which `tryEnd` reports nothing, until the
 * process has no memory. As it does not say either which connection a response belongs to, a random
 * one of so many closes its connection. A thousand have about a megabyte, which the buffers of the
 * two sockets take.
 */
const bodilessMeanDefault = 1_000
/** The same for small last bodies: 64 of them have a megabyte. */
const smallMean = 64

/**
 * Serves a handler on uWebSockets.js. @throws with one sentence where it cannot listen.
 *
 * What the library decides before any handler (`test/api/bare-server.spec.ts`), and a proxy in
 * front fixes (`deploy/proxies`): HTTP/1.0, a request target with a host (RFC 9112, 3.2.2), and a
 * request line in several segments, get 505;
 * a head without any header, with more than 98, or with a name of other characters than letters,
 * digits and `-`, gets no response; a connection without a request is closed after 8 to 12 s; a
 * request that arrives before the socket has taken all of the response to the one before closes the
 * connection, and so does a client that ends its side before the response; of two lengths the first
 * one counts, and two hosts or an unknown transfer coding are not refused. No release makes
 * the times settings or takes HTTP/1.0; later ones take a split request line
 * (uNetworking/uWebSockets issue 1776), but no registry has them for Node 20.
 */
export async function uwsServer(options: UwsServerOptions): Promise<HttpServer> {
  // The library reads this once, when it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(headBytesMax)
  const { default: uws } = await import('uWebSockets.js')
  const { host = '127.0.0.1', stopTimeoutMs = stopTimeoutMsDefault } = options
  const { bodilessMean = bodilessMeanDefault } = options
  const open = new Set<Promise<void>>()
  const unsent = new UnsentBodies(options)
  const connections = new OpenConnections(options)
  const streams = new OpenStreams()
  let isDraining = false
  const isLast = () => isDraining
  const isLastBodiless = () => Math.random() * bodilessMean < 1
  const serving = { ...options, unsent, streams, isLast, isLastBodiless }
  const answer = (res: UwsResponse, req: UwsRequest, method: string) => {
    const exchange = serve(res, new ReceivedRequest(res, req, { method, unsent }), serving)
    if (exchange === null) return
    open.add(exchange)
    void exchange.finally(() => open.delete(exchange))
  }
  // The usual methods have routes of their own: their names need not be read.
  const app = uws
    .App()
    .filter((res, change) => connections.count(res, Number(change)))
    .get('/*', (res, req) => answer(res, req, 'GET'))
    .head('/*', (res, req) => answer(res, req, 'HEAD'))
    .any('/*', (res, req) => answer(res, req, req.getCaseSensitiveMethod()))
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(host, options.port, exclusivePort, resolve)
  })
  if (socket === false) {
    const why = await whyNotListening(host, options.port)
    throw new Error(`cannot listen on ${host}:${options.port}: ${why ?? freeAgain}`)
  }
  const port = uws.us_socket_local_port(socket)
  return {
    port,
    drain() {
      isDraining = true
      streams.endAll()
    },
    async close() {
      uws.us_listen_socket_close(socket)
      streams.endAll()
      // A response that is complete may still wait for its client to read it.
      const sent = Promise.allSettled(open).then(() => unsent.allSent())
      await pTimeout(sent, { milliseconds: stopTimeoutMs, message: false })
      app.close()
    },
  }
}

interface Serving extends Pick<UwsServerOptions, 'handler' | 'log'> {
  readonly unsent: UnsentBodies
  readonly streams: OpenStreams
  /** Whether the connection closes after the response. */
  readonly isLast: () => boolean
  /** The same for one without a body. */
  readonly isLastBodiless: () => boolean
}

/** Answers one request. @returns null if the response was sent before it returns */
function serve(res: UwsResponse, request: ReceivedRequest, by: Serving): Promise<void> | null {
  try {
    const response = by.handler(request)
    if (response instanceof Promise) return sendLater(res, { request, response, by })
    const isStream = response.stream !== undefined
    // A stream may end while it begins: the library takes no listener after that.
    if (isStream) res.onAborted(() => by.streams.remove(res))
    const isSent = send(res, { request, response, by })
    if (!isSent && !isStream) res.onAborted(() => by.unsent.remove(res))
  } catch (error) {
    logUnanswered(by.log, error)
    res.close()
  }
  return null
}

/** Of a client that has left. */
function remove(res: UwsResponse, { unsent, streams }: Serving): void {
  unsent.remove(res)
  streams.remove(res)
}

interface Later {
  readonly request: ReceivedRequest
  readonly response: Promise<HttpResponse>
  readonly by: Serving
}

/** Sends nothing to a client that has disconnected. */
async function sendLater(res: UwsResponse, { request, response: coming, by }: Later) {
  const { log } = by
  request.keep()
  let isGone = false
  res.onAborted(() => {
    isGone = true
    remove(res, by)
    request.gone()
  })
  try {
    const response = await coming
    if (isGone) return
    res.cork(() => void send(res, { request, response, by }))
  } catch (error) {
    logUnanswered(log, error)
    if (!isGone) res.close()
  }
}

/** A handler answers its own errors: after one that it throws, the client has no response. */
const logUnanswered = (log: Serving['log'], error: unknown) =>
  log.error({ event: events.api.failed, error }, 'a request was not answered')

/** Option to listen exclusively: without it two processes would share a port unnoticed. */
const exclusivePort = 1

// The library takes four arguments; its types declare only three.
declare module 'uWebSockets.js' {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      cb: (listenSocket: us_listen_socket | false) => void,
    ): TemplatedApp
  }
}

/** The other process has closed it meanwhile. */
const freeAgain = 'the port was in use'

/** A response to send. */
interface Sent {
  readonly request: ReceivedRequest
  readonly response: HttpResponse
  readonly by: Serving
}

/** Of each status that was sent. */
const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const line = `${status} ${STATUS_CODES[status] ?? ''}`
  statusLines.set(status, line)
  return line
}

function writeHeaders(res: UwsResponse, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) res.writeHeader(name, headers[name] ?? '')
}

/** The library writes name and value as they are, so they may have line ends. */
function writePrepared(res: UwsResponse, { first, rest }: PreparedHeaders): void {
  res.writeHeader(first, rest)
}

/**
 * Sends a response; the library writes its length. HEAD gets the same headers without the body,
 * whatever the handler returned: clients would read a body as the next response.
 * @returns whether the socket has taken all of it, and may be used for the next one
 */
function send(res: UwsResponse, { request, response, by }: Sent): boolean {
  const { status, body, prepared } = response
  const { unsent } = by
  // The library writes 200 by itself.
  if (status !== 200) res.writeStatus(statusLine(status))
  if (prepared === undefined) writeHeaders(res, response.headers)
  else writePrepared(res, prepared)
  if (response.stream !== undefined && request.method !== 'HEAD') {
    by.streams.begin(res, response.stream)
    return false
  }
  const isBodiless = status === 304 || status === 204
  const isHead = request.method === 'HEAD' && !isBodiless
  // Written as a header: given a length, `endWithoutBody` waits for these bytes, and the next
  // request closes the connection.
  if (isHead) res.writeHeader('content-length', String(body.length))
  const isLast = by.isLast()
  if (isHead || isBodiless || body.length === 0) {
    if (isLast || by.isLastBodiless()) {
      if (!isHead && !isBodiless) res.writeHeader('content-length', '0')
      endConnection(res)
      unsent.closeSoon(res)
      return false
    }
    if (isHead || isBodiless) res.endWithoutBody()
    else res.end(body)
    return true
  }
  // `end` buffers what the socket does not take, and closes the connection only after that, even if
  // more requests come. `tryEnd` leaves that, and the next request closes the connection.
  if (isLast && body.length <= smallBytesMax && Math.random() * smallMean >= 1) {
    res.end(body, isLast)
    return true
  }
  if (isLast) res.writeHeader('connection', 'close')
  return unsent.send(res, body, request)
}

/**
 * Ends the headers, and lets the library wait for more: the next request closes the connection. Had
 * it closed the connection itself, it would do so only once the socket has taken all, and a request
 * in between would make it forget.
 */
function endConnection(res: UwsResponse): void {
  res.writeHeader('date', new Date().toUTCString())
  res.writeHeader('connection', 'close\r\n')
}
