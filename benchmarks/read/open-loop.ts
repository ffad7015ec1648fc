import { Agent } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Got, get } from './closed-loop.ts'

export interface Arrival {
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  /** Address of the client, on the loopback interface. */
  readonly localAddress?: string
}

export interface OpenLoopOptions<A extends Arrival> {
  readonly port: number
  readonly perSecond: number
  readonly seconds: number
  /** A random fraction, for the time between two requests. */
  readonly fraction: () => number
  readonly next: () => A
  /** Requests without a response at a time: what is due then is not sent. Else it is a failure. */
  readonly openMax?: number
  /** `latencyMs` counts from when the request was due, not from when it was sent. */
  readonly onResponse: (arrival: A, got: Got, latencyMs: number) => void
}

/** Requests without a response at a time; what is due beyond that is a failure of the benchmark. */
const inFlightMax = 20_000

/**
 * Requests that are sent in one turn of the event loop when all are overdue. Without a bound a slow
 * machine would open thousands of connections and send nothing on the first ones until the server
 * had closed them as idle.
 */
const sentAtOnceMax = 16

/**
 * Requests begin at random times of a given rate, whether earlier ones were answered or not. A
 * client that waits would send less while the server is slow, and not measure the wait of others
 * (coordinated omission).
 *
 * @returns requests per second that were sent
 */
export async function openLoop<A extends Arrival>(options: OpenLoopOptions<A>): Promise<number> {
  const {
    port,
    perSecond,
    seconds,
    fraction,
    next,
    onResponse,
    openMax = Number.POSITIVE_INFINITY,
  } = options
  // Node keeps 256 without a request by default: others would be opened again and again.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Math.min(openMax, inFlightMax) })
  const failures: unknown[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let sent = 0
  let sentAtOnce = 0
  let inFlight = 0
  let onIdle = () => {}
  const ended = () => {
    inFlight--
    if (inFlight === 0) onIdle()
  }
  for (let dueAt = startedAt; dueAt < endsAt && failures.length === 0; ) {
    const earlyMs = dueAt - performance.now()
    if (earlyMs > 0 || sentAtOnce >= sentAtOnceMax) {
      await (earlyMs > 0 ? pause(earlyMs) : nextTurn())
      sentAtOnce = 0
    }
    sentAtOnce++
    const due = dueAt
    dueAt += (-Math.log(1 - fraction()) / perSecond) * 1_000
    if (inFlight >= openMax) continue
    sent++
    if (inFlight >= inFlightMax) throw new Error(`${inFlightMax} requests without a response`)
    const arrival = next()
    const { target: path, headers = {}, localAddress = '127.0.0.1' } = arrival
    inFlight++
    get({ agent, port, path, headers, localAddress })
      .then((got) => onResponse(arrival, got, performance.now() - due))
      .catch((error: unknown) => void failures.push(error))
      .finally(ended)
  }
  const elapsed = (performance.now() - startedAt) / 1_000
  if (inFlight > 0) {
    await new Promise<void>((resolve) => {
      onIdle = resolve
    })
  }
  agent.destroy()
  if (failures.length > 0) throw failures[0]
  return sent / elapsed
}

export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
