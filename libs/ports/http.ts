/** A request as a value: handlers are tested with these, no socket. */
export interface HttpRequest {
  readonly method: string
  /** As sent, percent-encoding included, without the query. */
  readonly path: string
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The peer's address as text. */
  readonly client: string
  /** Calls the listener once, if the client leaves before its response is sent. */
  readonly onGone?: OnClose
  /** Whether that body may be sent: what clients are too slow to take has a bound. */
  readonly hasRoomFor?: (body: Buffer) => boolean
}

export type OnClose = (listener: () => void) => void

export interface HttpResponse {
  readonly status: number
  /** Lower-case names; the server adds the length. */
  readonly headers: Readonly<Record<string, string>>
  /** Also of the response to HEAD: the server leaves it out and sends its length. */
  readonly body: Buffer
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>

/** Something that listens and answers by a handler. */
export interface HttpServer {
  readonly port: number
  /** From now on each response closes its connection: its client opens the next one elsewhere. */
  drain(): void
  close(): Promise<void>
}
