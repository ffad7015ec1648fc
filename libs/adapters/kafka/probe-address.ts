import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** What answers at an address: nothing (and why), something in the open, or one that speaks TLS. */
export type ProbeResult =
  | { readonly kind: 'nothing'; readonly because: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'tls'; readonly distrust: string | null }

export interface HostPort {
  readonly host: string
  readonly port: number
}

/** @param broker `host:port`, an IPv6 address in brackets */
export function hostPortOf(broker: string): HostPort {
  const at = broker.lastIndexOf(':')
  const host = broker.slice(0, at).replace(/^\[|\]$/g, '')
  return { host, port: Number(broker.slice(at + 1)) }
}

/** Nothing of Kafka is said: it only looks who is there. */
export async function probeAddress(
  address: HostPort,
  { timeoutMs, ca }: { timeoutMs: number; ca: string | null },
): Promise<ProbeResult> {
  const because = await connectionError(address, timeoutMs)
  if (because !== null) return { kind: 'nothing', because }
  return (await tlsAt(address, timeoutMs, ca)) ?? { kind: 'open' }
}

/** @returns null if something listens there */
export function connectionError(
  { host, port }: HostPort,
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port })
    const done = (because: string | null) => {
      socket.destroy()
      resolve(because)
    }
    socket.setTimeout(timeoutMs, () => done(`no answer within ${timeoutMs} ms`))
    socket.once('connect', () => done(null))
    socket.once('error', (error: NodeJS.ErrnoException) => done(whyOf(error.code, error.message)))
  })
}

function whyOf(code: string | undefined, message: string): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host is known'
  return message
}

function tlsAt(
  { host, port }: HostPort,
  timeoutMs: number,
  ca: string | null,
): Promise<ProbeResult | null> {
  return new Promise((resolve) => {
    const authority = ca === null ? {} : { ca: [ca] }
    const socket = connectTls({ host, port, ...authority, rejectUnauthorized: false })
    const done = (answering: ProbeResult | null) => {
      socket.destroy()
      resolve(answering)
    }
    socket.setTimeout(timeoutMs, () => done(null))
    socket.once('secureConnect', () => {
      const distrust = socket.authorized ? null : `${socket.authorizationError}`
      done({ kind: 'tls', distrust })
    })
    socket.once('error', () => done(null))
    socket.once('close', () => done(null))
  })
}
