import type { HttpResponse as UwsResponse, us_listen_socket } from 'uWebSockets.js'
import type { HttpHandler, HttpRequest, HttpServer, OnClose } from '../../ports/http.ts'
import { events } from '../../signals/events.ts'
import { requestOf, send } from './exchange.ts'
import { exclusivePort } from './listen-exclusively.ts'
import { UnsentBodies, type UnsentBodiesOptions } from './unsent-bodies.ts'
import { whyNotListening } from './why-not-listening.ts'

interface Form extends UnsentBodiesOptions {
  /** Only this machine by default. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly handler: HttpHandler
  /** How long a stop waits for answers that are being made. */
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
 * front mends (`deploy/proxies`): HTTP/1.0, and a request line in several segments, get 505;
 * a head without any header, with more than 98, or with a name of other characters than letters,
 * digits and `-`, gets no response; a connection without a request is closed after 8 to 12 s; a
 * request sent before the response to the one before closes the connection. No release makes the
 * times settings or takes HTTP/1.0; later ones take a split request line (uNetworking/uWebSockets
 * issue 1776), but no registry has them for Node 20.
 */
export async function uwsServer(form: Form): Promise<HttpServer> {
  // The library reads this once, when it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(headBytesMax)
  const { default: uws } = await import('uWebSockets.js')
  const { host = '127.0.0.1', stopTimeoutMs = stopTimeoutMsDefault } = form
  const open = new Set<Promise<void>>()
  const unsent = new UnsentBodies(form)
  let isDraining = false
  const isLast = () => isDraining
  const app = uws.App().any('/*', (res, req) => {
    const exchange = serve(res, requestOf(res, req), { ...form, unsent, isLast })
    open.add(exchange)
    void exchange.finally(() => open.delete(exchange))
  })
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    app.listen(host, form.port, exclusivePort, resolve)
  })
  if (socket === false) {
    const why = await whyNotListening(host, form.port)
    throw new Error(`cannot listen on ${host}:${form.port}: ${why}`)
  }
  const port = uws.us_socket_local_port(socket)
  return {
    port,
    drain() {
      isDraining = true
    },
    async close() {
      uws.us_listen_socket_close(socket)
      if (open.size > 0) await Promise.race([Promise.allSettled(open), after(stopTimeoutMs)])
      app.close()
    },
  }
}

interface Serving extends Pick<Form, 'handler' | 'log'> {
  readonly unsent: UnsentBodies
  /** Whether the response is the last one of its connection. */
  readonly isLast: () => boolean
}

/** Answers one request; a client that left meanwhile gets nothing. */
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
    // A handler answers its own faults; whatever comes here left the client without an answer.
    log.error({ event: events.api.failed, error }, 'a request was not answered')
    if (!isGone) res.close()
  }
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
