import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_listen_socket,
} from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import { createServer } from 'node:net'
import pTimeout from 'p-timeout'
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  HttpServer,
  OnClose,
} from '../../ports/http.ts'
import { events } from '../../signals/events.ts'
import { smallBytesMax, UnsentBodies, type UnsentBodiesOptions } from './unsent-bodies.ts'

interface UwsServerOptions extends UnsentBodiesOptions {
  /** Loopback by default. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly handler: HttpHandler
  /** How long `close` waits for requests in flight. */
  readonly stopTimeoutMs?: number
}

/**
 * Request line and headers together. The library answers 431 to a larger head, but only if it does
 * not come in one read of the socket (512 KiB): a handler has to have a bound of its own.
 */
const headBytesMax = 32 * 1024
const stopTimeoutMsDefault = 2_000

/**
 * Serves a handler on uWebSockets.js. @throws with one sentence where it cannot listen.
 *
 * What the library decides before any handler (`test/api/bare-server.spec.ts`), and a proxy in
 * front fixes (`deploy/proxies`): HTTP/1.0, and a request line in several segments, get 505;
 * a head without any header, with more than 98, or with a name of other characters than letters,
 * digits and `-`, gets no response; a connection without a request is closed after 8 to 12 s; a
 * request sent before the response to the one before closes the connection. No release makes the
 * times settings or takes HTTP/1.0; later ones take a split request line (uNetworking/uWebSockets
 * issue 1776), but no registry has them for Node 20.
 */
export async function uwsServer(options: UwsServerOptions): Promise<HttpServer> {
  // The library reads this once, when it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(headBytesMax)
  const { default: uws } = await import('uWebSockets.js')
  const { host = '127.0.0.1', stopTimeoutMs = stopTimeoutMsDefault } = options
  const open = new Set<Promise<void>>()
  const unsent = new UnsentBodies(options)
  let isDraining = false
  const isLast = () => isDraining
  const app = uws.App().any('/*', (res, req) => {
    const exchange = serve(res, requestOf(res, req), { ...options, unsent, isLast })
    open.add(exchange)
    void exchange.finally(() => open.delete(exchange))
  })
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(host, options.port, exclusivePort, resolve)
  })
  if (socket === false) {
    const why = await whyNotListening(host, options.port)
    throw new Error(`cannot listen on ${host}:${options.port}: ${why}`)
  }
  const port = uws.us_socket_local_port(socket)
  return {
    port,
    drain() {
      isDraining = true
    },
    async close() {
      uws.us_listen_socket_close(socket)
      const answered = Promise.allSettled(open)
      await pTimeout(answered, { milliseconds: stopTimeoutMs, message: false })
      app.close()
    },
  }
}

interface Serving extends Pick<UwsServerOptions, 'handler' | 'log'> {
  readonly unsent: UnsentBodies
  /** Whether the connection closes after the response. */
  readonly isLast: () => boolean
}

/** Answers one request; sends nothing to a client that has disconnected. */
async function serve(res: UwsResponse, request: HttpRequest, by: Serving) {
  const { handler, log, unsent, isLast } = by
  let isGone = false
  const listeners: (() => void)[] = []
  res.onAborted(() => {
    isGone = true
    unsent.remove(res)
    for (const listener of listeners) listener()
  })
  const onGone: OnClose = (listener) => void listeners.push(listener)
  try {
    const hasRoomFor = (body: Buffer) => unsent.hasRoomFor(body)
    const response = await handler({ ...request, onGone, hasRoomFor })
    if (!isGone) send(res, { method: request.method, response, unsent, isLast: isLast() })
  } catch (error) {
    // A handler answers its own errors: after one that it throws, the client has no response.
    log.error({ event: events.api.failed, error }, 'a request was not answered')
    if (!isGone) res.close()
  }
}

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

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'this machine does not have that address',
  EACCES: 'this user has no right to that port',
}

/** Why it cannot listen: uWebSockets.js reports only that it failed, Node reports the reason. */
function whyNotListening(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error: NodeJS.ErrnoException) =>
      resolve(reasons[error.code ?? ''] ?? error.message),
    )
    // The other process has closed it meanwhile: the port is free.
    server.listen(port, host, () => server.close(() => resolve('the port was in use')))
  })
}

/** The request as a value; the library's object is valid only until its callback returns. */
function requestOf(res: UwsResponse, req: UwsRequest): HttpRequest {
  const headers: Record<string, string> = Object.create(null)
  req.forEach((name, value) => {
    headers[name] = value
  })
  return {
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
    client: Buffer.from(res.getRemoteAddressAsText()).toString('latin1'),
  }
}

const bodiless = new Set([204, 304])

/** A response to send. */
interface Sent {
  readonly method: string
  readonly response: HttpResponse
  readonly unsent: UnsentBodies
  /** Sends `connection: close`; closes the connection after a small body. */
  readonly isLast: boolean
}

/**
 * Sends a response; the library writes its length. HEAD gets the same headers without the body,
 * whatever the handler returned: clients would read a body as the next response.
 */
function send(res: UwsResponse, { method, response, unsent, isLast }: Sent): void {
  const { status, headers, body } = response
  res.cork(() => {
    res.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`)
    for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
    const isHead = method === 'HEAD' && !bodiless.has(status)
    // Written as a header: given a length, `endWithoutBody` waits for these bytes, and the next
    // request closes the connection.
    if (isHead) res.writeHeader('content-length', String(body.length))
    if (!isHead && !bodiless.has(status) && body.length <= smallBytesMax) {
      res.end(body, isLast)
      return
    }
    // Written as a header: as an argument of `endWithoutBody` it adds a length of 2^63.
    if (isLast) res.writeHeader('connection', 'close')
    if (isHead || bodiless.has(status)) res.endWithoutBody()
    else unsent.send(res, body)
  })
}
