import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { type LogFields, silentLog } from '../../libs/signals/log.ts'
import { stripTypes } from '../support/strip-types.ts'
import { until } from '../support/until.ts'
import { heldConnections } from './held-connections-process.ts'
import { exchanged, served } from './served.ts'

const script = fileURLToPath(new URL('./few-open-files.ts', import.meta.url))
const page = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
const openFiles = 256
const idleConnections = 400
const goodRequests = 20
/**
 * For all connections of the flood and the good requests, until the last idle one is closed after
 * 8 to 12 s. A server that tries to accept without a pause takes that much each second.
 */
const processorSecondsMax = 2
const ticksPerSecond = 100

async function startWithFewFiles() {
  const limited = ['-c', `ulimit -n ${openFiles}; exec "$@"`, 'bash']
  const node = [process.execPath, ...stripTypes, script]
  const child = spawn('bash', [...limited, ...node], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [message] = await once(child, 'message')
  const { port } = z.object({ port: z.number() }).parse(message)
  return { port, pid: child.pid ?? 0, end: () => child.kill() }
}

/** Of user and system time. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Asks again and again on one connection, if the server keeps it. */
function keptConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path: page, agent }, (response) => {
        response.resume()
        const { statusCode: status } = response
        response.on('end', () => resolve({ status, isReused: asked.reusedSocket }))
      })
      asked.on('error', reject)
      asked.end()
    })
  return { ask, end: () => agent.destroy() }
}

test('an open-file limit is not reached, and open connections are answered', async () => {
  const api = await startWithFewFiles()
  const good = keptConnection(api.port)
  const flood = heldConnections(api.port, idleConnections, 'idle')
  try {
    expect(await good.ask()).toEqual({ status: 200, isReused: false })
    let isFlooded = false
    const closed = flood.open().then(() => {
      isFlooded = true
      return flood.closed()
    })
    // Asked all the time: the server closes what is idle, the kept connection, too.
    while (!isFlooded) expect(await good.ask()).toEqual({ status: 200, isReused: true })
    const before = processorSeconds(api.pid)
    for (let at = 0; at < goodRequests; at++) {
      expect(await good.ask()).toEqual({ status: 200, isReused: true })
    }
    expect(await closed).toEqual({ received: '' })
    expect(processorSeconds(api.pid) - before, 's').toBeLessThan(processorSecondsMax)
    expect((await fetch(`http://127.0.0.1:${api.port}${page}`)).status).toBe(200)
  } finally {
    flood.end()
    good.end()
    api.end()
  }
})

test('further connections are closed at once, counted, and logged once', async () => {
  const lines: LogFields[] = []
  const log = { ...silentLog, warn: (fields: LogFields) => void lines.push(fields) }
  const api = await served({}, {}, { connectionsMax: 3, log })
  const { port } = api.server
  const open: Socket[] = []
  const counted = async () => /^foldscan_open_connections (\d+)/m.exec(await api.counted())?.[1]
  for (let at = 1; at <= 3; at++) {
    open.push(connect(port, '127.0.0.1'))
    await until('it is open', async () => (await counted()) === String(at))
  }
  expect(await exchanged(port, '')).toBe('')
  expect(await exchanged(port, '')).toBe('')
  expect(await counted()).toBe('3')
  expect(await api.counted()).toMatch(/^foldscan_refused_connections_total 2$/m)
  const event = 'api.connections-refused'
  expect(lines).toMatchObject([{ event, refused: 1, connectionsMax: 3 }])
  open.pop()?.destroy()
  await until('it is closed', async () => (await counted()) === '2')
  expect((await fetch(api.origin + page)).status).toBe(200)
  for (const socket of open) socket.destroy()
  await api.server.close()
})
