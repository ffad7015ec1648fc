import { connect } from 'node:net'

/** What a server did with bytes that were sent to it as they are. */
export interface RawExchange {
  /** All that it sent, as Latin-1; empty if it sent nothing. */
  readonly text: string
  /** Of each response in it, in order. */
  readonly statuses: readonly number[]
}

export interface RawOptions {
  /** Each in a segment of its own, as far as the network keeps them apart. */
  readonly pieces: readonly string[]
  /** The client ends its side of the connection once all is sent. */
  readonly isEnded?: boolean
}

/** Longer than any server keeps a connection that is silent. */
const closedWithinMs = 60_000

/** What is written before the socket is read again. */
const writtenBytesMax = 8_192
/** Of one exchange, when its socket was reset before the response was read. */
const attemptsMax = 20

/**
 * Sends pieces one after the other, and waits until the server closes the connection.
 *
 * A server may answer in the middle of a request and reset the connection. Node destroys a socket
 * whose write fails, and with it a response that the kernel has received already: so little is
 * written at a time, nothing more once a response has begun, and an exchange that was lost all the
 * same is made anew.
 */
export async function rawExchange(port: number, options: RawOptions): Promise<RawExchange> {
  for (let attempt = 1; ; attempt++) {
    const exchange = await exchanged(port, options)
    if (!(exchange instanceof Error)) return exchange
    if (attempt === attemptsMax || !isReset(exchange)) throw exchange
  }
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ECONNRESET'
}

/** Resolves to the error of the socket if it came before the first byte of a response. */
function exchanged(port: number, { pieces, isEnded }: RawOptions): Promise<RawExchange | Error> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const writes = pieces.flatMap(written)
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => send(0))
    const send = (at: number) => {
      const write = writes[at]
      if (chunks.length > 0 || socket.destroyed) return
      if (write !== undefined) socket.write(write, () => setImmediate(send, at + 1))
      else if (isEnded === true) socket.end()
    }
    socket.setTimeout(closedWithinMs, () => socket.destroy(new Error('it was not closed')))
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server that has answered may reset what is still being sent to it.
    socket.on('error', (error) => (chunks.length === 0 ? resolve(error) : undefined))
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      const lines = [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)]
      resolve({ text, statuses: lines.map(([, status]) => Number(status)) })
    })
  })
}

function written(piece: string): Buffer[] {
  const bytes = Buffer.from(piece, 'latin1')
  return Array.from({ length: Math.ceil(bytes.length / writtenBytesMax) }, (_, at) =>
    bytes.subarray(at * writtenBytesMax, (at + 1) * writtenBytesMax),
  )
}
