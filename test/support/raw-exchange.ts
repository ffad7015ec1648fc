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

/** Longer than any server keeps a connection that says nothing. */
const closedWithinMs = 60_000

/** Sends pieces one after the other, and waits until the server closes the connection. */
export function rawExchange(port: number, { pieces, isEnded }: RawOptions): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => send(0))
    const send = (at: number) => {
      const piece = pieces[at]
      if (piece !== undefined) socket.write(piece, 'latin1', () => send(at + 1))
      else if (isEnded === true) socket.end()
    }
    socket.setTimeout(closedWithinMs, () => socket.destroy(new Error('it was not closed')))
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server that has answered may reset what is still being sent to it.
    socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined))
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      const lines = [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)]
      resolve({ text, statuses: lines.map(([, status]) => Number(status)) })
    })
  })
}
