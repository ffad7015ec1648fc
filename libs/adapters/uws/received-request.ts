import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js'
import type { ClientsOfRequests, HttpRequest, OnClose } from '../../ports/http.ts'
import type { UnsentBodies } from './unsent-bodies.ts'

/** Headers whose lines are one list (RFC 9110, section 5.3), as far as the API reads them. */
const lists = new Set(['accept', 'accept-encoding', 'if-none-match', 'x-forwarded-for'])

/** The headers of one request, read with one call of the library; its arrays are used again. */
class ReceivedHeaders {
  private readonly names: string[] = []
  private readonly values: string[] = []
  private count = 0
  characters = 0
  private readonly add = (name: string, value: string): void => {
    this.names[this.count] = name
    this.values[this.count] = value
    this.count += 1
    this.characters += name.length + value.length
  }

  read(req: UwsRequest): void {
    this.count = 0
    this.characters = 0
    req.forEach(this.add)
  }

  /** Of equal names the first, of lists all; empty if there is none. */
  value(name: string): string {
    const { names, values, count } = this
    const isList = lists.has(name)
    let found = ''
    for (let at = 0; at < count; at++) {
      if (names[at] !== name) continue
      if (!isList) return values[at] ?? ''
      found = found === '' ? (values[at] ?? '') : `${found},${values[at]}`
    }
    return found
  }
}

/** Of the last request that was asked for one: a handler asks before it returns. */
const received = new ReceivedHeaders()
let receivedOf: ReceivedRequest | null = null

/**
 * A request whose headers are read when they are needed, all at once: `getHeader` for each of the
 * few that a handler asks for takes longer. The library's object is valid only until its callback
 * returns; `keep` reads the rest before.
 */
export class ReceivedRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  private readonly res: UwsResponse
  private readonly req: UwsRequest
  private readonly unsent: UnsentBodies
  private readHeaders: Readonly<Record<string, string>> | null = null
  private readClient: string | null = null
  private goneListeners: (() => void)[] | null = null
  private isGone = false
  private clients: ClientsOfRequests | null = null

  constructor(
    res: UwsResponse,
    req: UwsRequest,
    { method, unsent }: { readonly method: string; readonly unsent: UnsentBodies },
  ) {
    this.res = res
    this.req = req
    this.unsent = unsent
    this.method = method
    this.path = req.getUrl()
    this.query = req.getQuery() ?? ''
  }

  header(name: string): string {
    if (this.readHeaders !== null) return this.readHeaders[name] ?? ''
    return this.received().value(name)
  }

  headerCharacters(): number {
    return this.received().characters
  }

  get headers(): Readonly<Record<string, string>> {
    this.readHeaders ??= headersOf(this.req)
    return this.readHeaders
  }

  get client(): string {
    // The library throws where the connection is closed.
    if (this.isGone) return ''
    this.readClient ??= Buffer.from(this.res.getRemoteAddressAsText()).toString('latin1')
    return this.readClient
  }

  get onGone(): OnClose {
    this.goneListeners ??= []
    const { goneListeners } = this
    // It may have left while limits were asked.
    return (listener) => (this.isGone ? listener() : void goneListeners.push(listener))
  }

  hasRoomFor(body: Buffer, clients: ClientsOfRequests): boolean {
    this.clients = clients
    return this.unsent.hasRoomFor(body, this)
  }

  /** Whose body is sent; the peer, unless the handler knows better. */
  bodyClient(): string {
    return this.clients?.of(this) ?? this.client
  }

  private received(): ReceivedHeaders {
    if (receivedOf !== this) {
      received.read(this.req)
      receivedOf = this
    }
    return received
  }

  /** Reads what a handler may need after the library's callback has returned. */
  keep(): void {
    void this.headers
  }

  gone(): void {
    this.isGone = true
    for (const listener of this.goneListeners ?? []) listener()
  }
}

/** Of equal names the first, as `getHeader` returns it; of lists all. */
function headersOf(req: UwsRequest): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null)
  req.forEach((name, value) => {
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (lists.has(name)) headers[name] = `${before},${value}`
  })
  return headers
}
