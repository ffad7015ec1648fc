import type { OnStream, ResponseStream } from '../../ports/http.ts'

/** The part of a uWebSockets.js response that is used here. */
export interface StreamedResponse {
  cork(written: () => void): unknown
  write(chunk: Buffer): boolean
  onWritable(listener: (offset: number) => boolean): unknown
  end(body: string, closeConnection: boolean): unknown
  close(): unknown
}

/**
 * Responses without an end of their own. The library buffers what a socket does not take, without a
 * bound: a client gets its next chunk only once it has taken the one before.
 */
export class OpenStreams {
  private readonly open = new Map<StreamedResponse, OpenStream>()
  private isEnding = false

  /** After the headers. */
  begin(res: StreamedResponse, onStream: OnStream): void {
    const stream = new OpenStream(res, () => this.open.delete(res))
    this.open.set(res, stream)
    onStream(stream)
    if (this.isEnding) stream.end()
  }

  /** The client has disconnected. */
  remove(res: StreamedResponse): void {
    this.open.get(res)?.ended()
  }

  /** Ends all of them, and from now on each as soon as it has begun. */
  endAll(): void {
    this.isEnding = true
    for (const stream of [...this.open.values()]) stream.end()
  }
}

class OpenStream implements ResponseStream {
  private readonly res: StreamedResponse
  private readonly listeners: (() => void)[]
  private isOver = false
  private isBlocked = false

  constructor(res: StreamedResponse, onEnd: () => void) {
    this.res = res
    this.listeners = [onEnd]
    res.onWritable(() => {
      this.isBlocked = false
      return true
    })
  }

  send(chunk: Buffer): boolean {
    if (this.isOver || this.isBlocked) return false
    this.res.cork(() => {
      this.isBlocked = !this.res.write(chunk)
    })
    return true
  }

  end(): void {
    if (this.isOver) return
    const { res, isBlocked } = this
    this.ended()
    // An end would wait until the client has taken the rest.
    if (isBlocked) res.close()
    else res.cork(() => void res.end('', true))
  }

  onEnd = (listener: () => void): void => {
    if (this.isOver) listener()
    else this.listeners.push(listener)
  }

  /** Of one that is open: the first listener removes it. */
  ended(): void {
    this.isOver = true
    for (const listener of this.listeners) listener()
  }
}
