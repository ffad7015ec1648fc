import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HttpServer } from '../../libs/ports/http.ts'
import type { DebianBinary } from '../support/debian-binary.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { isWhole } from '../support/run-length.ts'
import { embeddedApi, tokensPath } from './embedded-api.ts'
import { type ProxyName, type RunningProxy, runningProxy } from './running-proxy.ts'

/** A minute with `npm run test:proxies`, as browsers are idle. */
const idleMs = isWhole ? 60_000 : 5_000
const timeoutMs = 2 * idleMs + 60_000

/** Clients that send one request after the other: how many of each kind, and their heads. */
const busyClients: Readonly<Record<string, readonly [number, string]>> = {
  'HTTP/1.1': [8, 'HTTP/1.1\r\nhost: x'],
  'HTTP/1.0': [2, 'HTTP/1.0'],
  'HTTP/1.0 with Host': [2, 'HTTP/1.0\r\nhost: x'],
  'HTTP/1.0 with keep-alive': [2, 'HTTP/1.0\r\nconnection: keep-alive'],
}

/** The API ends a connection that was idle for 8 to 12 s. */
const aboutToEndMs = evenly(40, 7_000, 13_000)

/** How often a client got each status, or why there was none. */
type Outcomes = Record<string, number>

/** Busy, idle and old clients at once. */
export function proxyLoadLaws(name: ProxyName, binary: DebianBinary): void {
  let api: HttpServer
  let proxy: RunningProxy
  beforeAll(async () => {
    api = await embeddedApi()
    proxy = await runningProxy(name, binary, { api: api.port })
  })
  afterAll(async () => {
    await proxy.stop()
    await api.close()
  })

  const printed = (what: string, outcomes: unknown) =>
    process.stdout.write(`${name}, idle up to ${idleMs} ms, ${what}: ${JSON.stringify(outcomes)}\n`)

  it(`responds 200 to busy and old clients, and to those idle for ${idleMs} ms`, {
    timeout: timeoutMs,
  }, async () => {
    const idle = evenly(20, idleMs / 20, idleMs)
    const outcomes = await outcomesOf(proxy.port, { busy: busyClients, idle })
    printed('under load', outcomes)
    expect(outcomes.idle).toEqual({ 200: 2 * idle.length })
    for (const kind of Object.keys(busyClients)) {
      expect(Object.keys(outcomes[kind] ?? {}), kind).toEqual(['200'])
    }
  })

  it.runIf(isWhole)(
    'responds 200 while the API ends idle connections',
    {
      timeout: timeoutMs,
    },
    async () => {
      const { idle } = await outcomesOf(proxy.port, { busy: {}, idle: [...aboutToEndMs, idleMs] })
      printed('alone', idle)
      expect(idle).toEqual({ 200: 2 * (aboutToEndMs.length + 1) })
    },
  )
}

function evenly(count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1))
}

interface Load {
  readonly busy: typeof busyClients
  /** Of each idle client, the time between its two requests. */
  readonly idle: readonly number[]
}

/** By kind, until the last idle client has its second response. */
async function outcomesOf(port: number, { busy, idle }: Load): Promise<Record<string, Outcomes>> {
  const found: Record<string, Outcomes> = { idle: {} }
  let isOver = false
  const load = Object.entries(busy).flatMap(([kind, [count, head]]) => {
    const outcomes: Outcomes = {}
    found[kind] = outcomes
    return Array.from({ length: count }, () =>
      askUntil(port, { head, outcomes, isOver: () => isOver }),
    )
  })
  const idling = Promise.all(idle.map((ms) => askTwice(port, ms, found.idle ?? {})))
  const over = idling.finally(() => {
    isOver = true
  })
  await Promise.all([over, ...load])
  return found
}

/** Two requests on one connection, with silence between them. */
async function askTwice(port: number, ms: number, outcomes: Outcomes): Promise<void> {
  const connection = new RawConnection(port)
  // It would not wait that long by itself.
  connection.socket.setTimeout(0)
  await ask(connection, 'HTTP/1.1\r\nhost: x', outcomes)
  await setTimeout(ms)
  await ask(connection, 'HTTP/1.1\r\nhost: x', outcomes)
  connection.leave()
}

interface Busy {
  readonly head: string
  readonly outcomes: Outcomes
  readonly isOver: () => boolean
}

/** On one connection as long as the proxy keeps it, then on the next. */
async function askUntil(port: number, { head, outcomes, isOver }: Busy): Promise<void> {
  let connection = new RawConnection(port)
  while (!isOver()) {
    if (await ask(connection, head, outcomes)) continue
    connection.leave()
    connection = new RawConnection(port)
  }
  connection.leave()
}

/** Whether the connection can be used again. */
async function ask(connection: RawConnection, head: string, outcomes: Outcomes): Promise<boolean> {
  const bytes = Buffer.from(`GET ${tokensPath} ${head}\r\n\r\n`)
  const got = await connection.ask(bytes, false)
  const outcome = typeof got === 'string' ? got : String(got.status)
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return typeof got !== 'string' && got.headers.get('connection') !== 'close'
}
