/** A request as a value: handlers are tested with these, no socket. */
export interface HttpRequest {
  readonly method: string
  /** As sent, percent-encoding included, without the query. */
  readonly path: string
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string
  /**
   * Lower-case names; of a header that was sent twice the first. Lines of a list are joined with
   * commas: Accept, Accept-Encoding, If-None-Match, and X-Forwarded-For, as proxies that add a line
   * leave those of the client.
   */
  readonly headers: Readonly<Record<string, string>>
  /**
   * One header without reading the others, empty if it was not sent; absent if `headers` is at
   * hand. Like `headerCharacters` it may be called until the handler returns.
   */
  readonly header?: (name: string) => string
  /** Length of all headers. */
  readonly headerCharacters?: () => number
  /** The peer's address as text; may be empty once the client has left. */
  readonly client: string
  /** Made by this process itself: no client's limit applies. */
  readonly isOwn?: true
  /** Calls the listener once, if the client leaves before its response is sent. */
  readonly onGone?: OnClose
  /**
   * Whether that body may be sent: what clients are too slow to take has a bound.
   *
   * @param clients whose body it is, so that one with many unread ones gives way to others
   */
  readonly hasRoomFor?: (body: Buffer, clients: ClientsOfRequests) => boolean
}

/** Which client a request counts for. */
export interface ClientsOfRequests {
  of(request: HttpRequest): string
}

export type OnClose = (listener: () => void) => void

export interface HttpResponse {
  readonly status: number
  /** Lower-case names; the server adds the length. */
  readonly headers: Readonly<Record<string, string>>
  /** Also of the response to HEAD: the server leaves it out and sends its length. */
  readonly body: Buffer
  /** The same headers, prepared for many responses: written instead of `headers`. */
  readonly prepared?: PreparedHeaders
  /** Given, chunks follow the headers in place of `body`; not called for a client that has left. */
  readonly stream?: OnStream
}

/** A response that goes on until either side ends it. */
export interface ResponseStream {
  /** @returns false if nothing was sent, as the client has not taken what was sent before */
  send(chunk: Buffer): boolean
  /** Ends the response and its connection. */
  end(): void
  /** Calls the listener once when either side has ended it: nothing may be sent any more. */
  readonly onEnd: OnClose
}

/** Called when the headers are written. */
export type OnStream = (stream: ResponseStream) => void

/** Header lines, to be written as they are: `first`, a colon and a space, `rest`, a line end. */
export interface PreparedHeaders {
  /** Bytes that many responses share: header lines, and the name of one more header. */
  readonly first: Buffer
  /** The value of that header, and further header lines. */
  readonly rest: string
}

/** @param headers whose values must not contain line ends */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name in headers) lines += `\r\n${name}: ${headers[name] ?? ''}`
  return lines
}

/** A response that is at hand is returned as it is and sent at once. */
export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Something that listens and answers by a handler. */
export interface HttpServer {
  readonly port: number
  /** From now on each response closes its connection: its client opens the next one elsewhere. */
  drain(): void
  close(): Promise<void>
}

/** One header of a request; empty if it was not sent. */
export const headerOf = (request: Pick<HttpRequest, 'headers' | 'header'>, name: string): string =>
  request.header === undefined ? (request.headers[name] ?? '') : request.header(name)

/** Length of all headers of a request. */
export function headerCharacters(request: HttpRequest): number {
  if (request.headerCharacters !== undefined) return request.headerCharacters()
  const { headers } = request
  let characters = 0
  for (const name in headers) characters += name.length + (headers[name]?.length ?? 0)
  return characters
}
