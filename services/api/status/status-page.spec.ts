import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ResponseStream } from '../../../libs/ports/http.ts'
import { testApi } from '../testing/test-api.ts'

const stream = '/api/status/stream'
const page = async (api = testApi()) => {
  const { body } = await api.ask('/')
  return body.toString()
}

test('the root is a page, that no script or style of others can get into', async () => {
  const { ask } = testApi()
  for (const path of ['/', '//', '']) {
    const { status, headers } = await ask(path, { headers: { accept: 'text/html' } })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=0, must-revalidate',
    })
    const policy = headers['content-security-policy'] ?? ''
    expect(policy.split('; ')).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
  }
  const text = await page()
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
  expect((await ask('/', { method: 'POST' })).status).toBe(405)
})

test('all files that the page names are served, under 30 kB together', async () => {
  const { ask } = testApi()
  const text = await page()
  const named = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, path = '']) => path)
  const files = named.filter((path) => path.startsWith('api/status/'))
  expect(files).toHaveLength(2)
  let bytes = text.length
  for (const path of named) {
    const { status, headers, body } = await ask(`/${path}`)
    expect(status, path).toBe(200)
    if (files.includes(path)) bytes += body.length
    if (path.endsWith('.js')) expect(headers['content-type']).toContain('text/javascript')
    if (path.endsWith('.css')) expect(headers['content-type']).toContain('text/css')
  }
  expect(bytes).toBeLessThan(30_000)
  const tagged = await ask('/api/status/status.js')
  const again = await ask('/api/status/status.js', {
    headers: { 'if-none-match': tagged.headers.etag ?? '' },
  })
  expect(again.status).toBe(304)
})

test('without scripts the page shows the head at which it was loaded', async () => {
  const api = testApi()
  expect(await page(api)).toContain('>none yet<')
  for (const group of ['ledger', 'state'] as const) api.announce(group, 5)
  expect(await page(api)).toContain('>105<')
  api.announce('ledger', 6)
  expect(await page(api)).toContain('>105<')
  api.announce('state', 6)
  expect(await page(api)).toContain('>106<')
})

// What a contract's author writes may be shown, and never run.
test('the script makes no HTML of text', () => {
  const script = readFileSync(new URL('./page/status.js', import.meta.url), 'utf8')
  expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(/)
})

const request = { method: 'GET', path: stream, query: '', headers: {}, client: '192.0.2.1' }

/** Reads the stream. @returns the sections of its events */
function reading(api: ReturnType<typeof testApi>) {
  const response = api.handler(request)
  if (response instanceof Promise || response.stream === undefined) throw new Error('no stream')
  const events: unknown[] = []
  const ends: (() => void)[] = []
  const client: ResponseStream = {
    send: (chunk) => events.push(JSON.parse(chunk.toString().slice('data: '.length))) > 0,
    end: () => {
      for (const end of ends) end()
    },
    onEnd: (end) => void ends.push(end),
  }
  response.stream(client)
  return { response, events, end: () => client.end() }
}

test('the stream shows head, groups and newest blocks as they were announced', () => {
  const api = testApi()
  api.announce('ledger', 5)
  api.announce('state', 5)
  api.announce('ledger', 6)
  const { response, events, end } = reading(api)
  expect(response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-indexed-block': '105',
  })
  const time = (at: number) => 1_700_000_000 + 12 * at
  expect(events).toMatchObject([
    {
      at: expect.any(Number),
      chain: { id: 31_337, version: expect.any(String) },
      head: { block: 105, time: time(5) },
      groups: [
        { group: 'ledger', position: 6, block: 106, time: time(6) },
        { group: 'state', position: 5, block: 105, time: time(5) },
      ],
      blocks: [{ number: 105, time: time(5), seenAt: expect.any(Number) }],
    },
  ])
  end()
})

test('a stream counts as a request, and has no duration', async () => {
  const api = testApi()
  const { end } = reading(api)
  end()
  const counted = await api.counted()
  expect(counted).toContain(`foldscan_requests_total{route="${stream}",status="200"} 1`)
  expect(counted).toContain(`foldscan_request_seconds_count{route="${stream}"} 0`)
})

test('a refused stream says why, in the form of every error', async () => {
  const api = testApi({}, { status: { streamsMax: 2, streamsPerClientMax: 1 } })
  const open = [reading(api)]
  const own = await api.ask(stream, { client: '192.0.2.1' })
  expect([own.status, JSON.parse(own.body.toString())]).toEqual([
    429,
    { message: 'Too many requests' },
  ])
  expect((await api.ask(stream, { method: 'POST' })).status).toBe(405)
  const other = testApi({}, { status: { streamsMax: 0 } })
  const refused = await other.ask(stream)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  expect(await other.counted()).toContain(
    'foldscan_unavailable_total{reason="too many status streams"} 1',
  )
  for (const { end } of open) end()
})
