import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * Forked with a port and a number of connections: opens them, sends how many are open then, holds
 * them until the server has closed all, and sends the bytes that came. With `bytes`, each sends
 * the beginning of a request, then a byte of a header every second; with `heads`, nearly as much of
 * a head as the server takes.
 */
const [port = '', count = '', kind = 'idle'] = process.argv.slice(2)
/** Connections that are opened at once: fewer than the kernel queues for a listening socket. */
const openedAtOnce = 100
const bytesEveryMs = 1_000

const sockets: Socket[] = []
let received = ''
const closed: Promise<unknown>[] = []

async function open(): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('data', (data) => {
    received += data.toString('latin1')
  })
  socket.on('error', () => {})
  // `once` of node:events would reject with the error of a byte sent to a closed connection.
  closed.push(new Promise((resolve) => socket.once('close', resolve)))
  await once(socket, 'connect')
  sockets.push(socket)
  if (kind === 'idle') return
  socket.write('GET /api/v2/tokens/0x HTTP/1.1\r\nhost: x\r\nx-slow: ')
  if (kind === 'heads') socket.write('a'.repeat(15_000))
}

for (let at = 0; at < Number(count); at += openedAtOnce) {
  await Promise.all(Array.from({ length: Math.min(openedAtOnce, Number(count) - at) }, open))
}
process.send?.({ open: sockets.filter(({ destroyed }) => !destroyed).length })
const sending = setInterval(() => {
  if (kind === 'bytes') for (const socket of sockets) if (!socket.destroyed) socket.write('a')
}, bytesEveryMs)
await Promise.all(closed)
clearInterval(sending)
process.send?.({ received }, () => process.exit())
