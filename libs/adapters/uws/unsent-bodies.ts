import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import type { Metrics } from '../../signals/metrics.ts'
import { runbooks } from '../../signals/runbooks.ts'

export interface UnsentBodiesOptions {
  readonly log: Log
  readonly metrics?: Pick<Metrics, 'unsentBytes' | 'slowClients'> | undefined
  /** Bound of bodies that clients have not fully received, each body counted once. */
  readonly unsentBytesMax?: number | undefined
  /** Time for a body after which a client is slow: its connection may be closed for others. */
  readonly slowAfterMs?: number | undefined
}

/** Bodies up to this size are sent even where others leave no room: a socket's buffer is larger. */
export const smallBytesMax = 16 * 1024
const unsentBytesMaxDefault = 64 * 1024 * 1024
const slowAfterMsDefault = 5_000
const lineEveryMs = 1_000
/** Of the bound: a client with more unread bytes gives way to others at once. */
const clientShare = 1 / 4
/** Clients close a connection themselves after its last response. */
const lingerMs = 1_000
const nothing = Buffer.alloc(0)

/** The part of a uWebSockets.js response that is used here. */
export interface SlowResponse {
  tryEnd(chunk: Buffer, total: number): [isTaken: boolean, isDone: boolean]
  onWritable(listener: (offset: number) => boolean): unknown
  close(): unknown
}

/** Asked only where a socket does not take a body. */
interface Receiver {
  /** Whose unsent bytes are counted together. */
  bodyClient(): string
}

interface Sending {
  readonly body: Buffer
  readonly client: string
  readonly since: number
}

/**
 * Bodies that exceed the sockets' buffers. The library would copy the rest of each body for each
 * client; here it stays in the one buffer that all clients of a page share.
 */
export class UnsentBodies {
  private readonly options: UnsentBodiesOptions
  /** Oldest first. */
  private readonly sending = new Map<SlowResponse, Sending>()
  private readonly clients = new Map<Buffer, number>()
  /** Unsent bodies of each client, shared ones counted each time. */
  private readonly bytesOf = new Map<string, number>()
  private bytes = 0
  private closed = 0
  /** Callers of `allSent` that wait. */
  private readonly awaiting = new Set<() => void>()
  private lineAt = Number.NEGATIVE_INFINITY

  constructor(options: UnsentBodiesOptions) {
    this.options = options
    options.metrics?.unsentBytes.set(0)
  }

  /**
   * Whether a body may be sent; closes connections of slow clients where they take its room, and
   * then of the client that has the most of it, if that is another one.
   */
  hasRoomFor(body: Buffer, receiver: Receiver): boolean {
    if (body.length <= smallBytesMax) return true
    const { unsentBytesMax = unsentBytesMaxDefault, slowAfterMs = slowAfterMsDefault } =
      this.options
    // A single body is sent whatever its size: otherwise it could never be answered.
    const isRoom = () =>
      this.bytes === 0 || this.clients.has(body) || this.bytes + body.length <= unsentBytesMax
    const slowSince = performance.now() - slowAfterMs
    for (const [res, { since }] of this.sending) {
      if (isRoom() || since > slowSince) break
      this.close(res)
    }
    if (!isRoom())
      this.closeGreediest(receiver.bodyClient(), { isRoom, share: unsentBytesMax * clientShare })
    this.logClosed()
    return isRoom()
  }

  /**
   * Closes connections of the client with the most unsent bytes, oldest first, down to its share.
   * Otherwise one that never reads could have other clients refused until its bodies are slow.
   */
  private closeGreediest(
    asking: string,
    { isRoom, share }: { readonly isRoom: () => boolean; readonly share: number },
  ): void {
    let greediest = { client: asking, bytes: share }
    for (const [client, bytes] of this.bytesOf)
      if (bytes > greediest.bytes) greediest = { client, bytes }
    if (greediest.client === asking) return
    for (const [res, { client }] of this.sending) {
      if (isRoom() || (this.bytesOf.get(greediest.client) ?? 0) <= share) return
      if (client === greediest.client) this.close(res)
    }
  }

  /** Calls the listener of `onAborted`, which calls `remove`. */
  private close(res: SlowResponse): void {
    this.closed += 1
    this.options.metrics?.slowClients.inc()
    res.close()
  }

  /** Ends a response after its headers. @returns whether the socket has taken all of it */
  send(res: SlowResponse, body: Buffer, receiver: Receiver): boolean {
    const [, isDone] = res.tryEnd(body, body.length)
    if (isDone) return true
    this.add(res, body, receiver.bodyClient())
    res.onWritable((offset) => {
      const [isTaken, isDone] = res.tryEnd(body.subarray(offset), body.length)
      if (isDone) this.remove(res)
      return isTaken
    })
    return false
  }

  /** The client has received the body, or has disconnected. */
  remove(res: SlowResponse): void {
    const sending = this.sending.get(res)
    if (sending === undefined) return
    const { body, client } = sending
    this.sending.delete(res)
    const bytesLeft = (this.bytesOf.get(client) ?? 0) - body.length
    if (bytesLeft > 0) this.bytesOf.set(client, bytesLeft)
    else this.bytesOf.delete(client)
    const clients = (this.clients.get(body) ?? 0) - 1
    if (clients > 0) this.clients.set(body, clients)
    else {
      this.clients.delete(body)
      this.count(-body.length)
    }
    if (this.sending.size > 0) return
    for (const resolve of this.awaiting) resolve()
    this.awaiting.clear()
  }

  /** Closes the connection of a last response without a body within a second, read or not. */
  closeSoon(res: SlowResponse): void {
    this.add(res, nothing, '')
    const timer = setTimeout(() => {
      // Calls the listener of `onAborted`, as above.
      if (this.sending.has(res)) res.close()
    }, lingerMs)
    timer.unref()
  }

  /** Resolves once the sockets have taken all bodies and last responses, or clients are gone. */
  allSent(): Promise<void> {
    if (this.sending.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.awaiting.add(resolve))
  }

  private add(res: SlowResponse, body: Buffer, client: string): void {
    const clients = this.clients.get(body) ?? 0
    this.sending.set(res, { body, client, since: performance.now() })
    if (body.length > 0) this.bytesOf.set(client, (this.bytesOf.get(client) ?? 0) + body.length)
    this.clients.set(body, clients + 1)
    if (clients === 0) this.count(body.length)
  }

  private count(change: number): void {
    this.bytes += change
    this.options.metrics?.unsentBytes.set(this.bytes)
  }

  private logClosed(): void {
    const { closed } = this
    if (closed === 0 || performance.now() - this.lineAt < lineEveryMs) return
    this.lineAt = performance.now()
    this.closed = 0
    this.options.log.warn(
      { event: events.api.slowClients, closed, runbook: runbooks.overload },
      `closed connections of ${closed} slow clients: too many bytes wait to be sent`,
    )
  }
}
