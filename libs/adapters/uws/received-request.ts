import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js'
import type { HeaderRead, HttpRequest, OnClose } from '../../ports/http.ts'
import type { UnsentBodies } from './unsent-bodies.ts'

/**
 * A request whose headers are read by name: a browser sends three times as many as handlers read,
 * and each costs a call between the library and JavaScript. The library's object is valid only
 * until its callback returns; `keep` reads what may be needed after that.
 */
export class ReceivedRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headerCharacters: number
  private readonly accept: string
  private readonly acceptEncoding: string
  private readonly ifNoneMatch: string
  private readonly apiKey: string
  private readonly requestId: string
  /** Its first line: the others are read when somebody asks. */
  private readonly forwardedFor: string
  private readonly res: UwsResponse
  private readonly req: UwsRequest
  private readonly unsent: UnsentBodies
  private readHeaders: Readonly<Record<HeaderRead, string>> | null = null
  private readClient: string | null = null
  private goneListeners: (() => void)[] | null = null
  private isGone = false

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
    this.accept = req.getHeader('accept')
    this.acceptEncoding = req.getHeader('accept-encoding')
    this.ifNoneMatch = req.getHeader('if-none-match')
    this.apiKey = req.getHeader('x-api-key')
    this.requestId = req.getHeader('x-request-id')
    this.forwardedFor = req.getHeader('x-forwarded-for')
    this.headerCharacters =
      this.accept.length +
      this.acceptEncoding.length +
      this.ifNoneMatch.length +
      this.apiKey.length +
      this.requestId.length +
      this.forwardedFor.length
  }

  header(name: HeaderRead): string {
    switch (name) {
      case 'accept':
        return this.accept
      case 'accept-encoding':
        return this.acceptEncoding
      case 'if-none-match':
        return this.ifNoneMatch
      case 'x-api-key':
        return this.apiKey
      case 'x-request-id':
        return this.requestId
      case 'x-forwarded-for':
        return this.forwardedFor === '' ? '' : this.headers[name]
    }
  }

  get headers(): Readonly<Record<HeaderRead, string>> {
    this.readHeaders ??= {
      accept: this.accept,
      'accept-encoding': this.acceptEncoding,
      'if-none-match': this.ifNoneMatch,
      'x-api-key': this.apiKey,
      'x-request-id': this.requestId,
      'x-forwarded-for': this.forwardedFor === '' ? '' : forwardedFor(this.req),
    }
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

  hasRoomFor(body: Buffer): boolean {
    return this.unsent.hasRoomFor(body)
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

/** Of a longer X-Forwarded-For the end: what stands further left was sent by the client. */
const forwardedCharactersMax = 8 * 1024

/** All lines of X-Forwarded-For. */
function forwardedFor(req: UwsRequest): string {
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value)
  })
  const list = lines.join(',')
  if (list.length <= forwardedCharactersMax) return list
  // A copy: a slice would keep the whole list in memory.
  return Buffer.from(list.slice(-forwardedCharactersMax)).toString()
}
