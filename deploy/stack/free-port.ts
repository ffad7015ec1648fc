import { createServer } from 'node:net'
import { StackFailure } from './stack-failure.ts'

/** The wanted ports if all of them are free, else as many others. All on 127.0.0.1. */
export async function freePorts(count: number, wanted: readonly number[]): Promise<number[]> {
  if (wanted.length === count) {
    const free = await Promise.all(wanted.map(isFree))
    if (free.every(Boolean)) return [...wanted]
  }
  const held = await Promise.all(Array.from({ length: count }, () => hold()))
  const ports = held.map(({ port }) => port)
  await Promise.all(held.map(({ release }) => release()))
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  hold(port).then(
    ({ release }) => release().then(() => true),
    () => false,
  )

interface Held {
  readonly port: number
  release(): Promise<void>
}

/** Any port, or this one. Held until released: several asked at once differ. */
function hold(wanted = 0): Promise<Held> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const bound = server.address()
      const release = () => new Promise<void>((done) => server.close(() => done()))
      if (bound && typeof bound === 'object') resolve({ port: bound.port, release })
      else void release().then(() => reject(new StackFailure('no free port on 127.0.0.1')))
    })
  })
}
