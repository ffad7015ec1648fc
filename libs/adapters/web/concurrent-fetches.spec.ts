import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { httpWeb } from './http-web.ts'
import { everywhere } from './testing/everywhere.ts'
import {
  type Answer,
  allOf,
  type LocalServer,
  localServer,
  response,
} from './testing/local-servers.ts'

const signal = new AbortController().signal
const publicAddress = '93.184.215.14'

let server: LocalServer
let answer: Answer

beforeEach(async () => {
  answer = (socket) => socket.end(response('{}'))
  server = await localServer((socket, head) => answer(socket, head))
})
afterEach(() => server.close())

const trusting = (options: Parameters<typeof httpWeb>[0] = {}) =>
  httpWeb({ trusted: allOf(server.origin), ...options })

const seeOther = (location: string) => response('', [`Location: ${location}`], '303 See Other')

describe('the bounds of concurrent requests', () => {
  /** Requests wait until the test answers them. */
  function held() {
    const sockets: Socket[] = []
    const waiting: (() => void)[] = []
    answer = (socket) => {
      sockets.push(socket)
      for (const check of waiting.splice(0)) check()
    }
    const arrived = async (count: number) => {
      while (sockets.length < count) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    }
    return { sockets, arrived }
  }

  const busy = { kind: 'busy' }
  const strangers = (limits: object) => {
    const { connect } = everywhere(server)
    return httpWeb({ resolve: async () => [publicAddress], connect, limits })
  }

  it.each([
    {
      of: 'all',
      limits: { requestsMax: 2 },
      urls: ['http://a.example/', 'http://b.example/'],
      further: 'http://c.example/',
    },
    {
      of: 'a host, whatever its port, scheme or spelling',
      limits: { requestsPerHostMax: 2 },
      urls: ['http://a.example:8080/', 'http://A.example./'],
      further: 'http://a.example/',
    },
    {
      of: 'an address, whatever its names',
      limits: { requestsPerAddressMax: 2 },
      urls: ['http://a.example/', 'http://b.example/'],
      further: 'http://c.example/',
    },
  ])('of $of give busy at once, and free places later', async ({ limits, urls, further }) => {
    const web = strangers(limits)
    const { sockets, arrived } = held()
    const endings: ((socket: Socket) => void)[] = [
      (socket) => socket.end(response('{}')),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end(response('', [], '500 Broken')),
      (socket) => socket.end(seeOther('http://user@a.example/')),
    ]
    for (const end of endings) {
      sockets.length = 0
      const running = Promise.all(urls.map((url) => web.fetch(url, signal)))
      await Promise.all([
        running.then((results) => expect(results).not.toContainEqual(busy)),
        arrived(urls.length).then(async () => {
          expect(await web.fetch(further, signal)).toEqual(busy)
          expect(await web.fetch(further, signal)).toEqual(busy)
          for (const socket of sockets) end(socket)
        }),
      ])
    }
    answer = (socket) => socket.end(response('{}'))
    expect(await web.fetch(further, signal)).toMatchObject({ kind: 'fetched' })
    await web.close()
  })

  it('are free again after a time-out, an abort, and a URL that is refused', async () => {
    const web = strangers({ requestsMax: 1, timeoutMs: 50 })
    held()
    expect(await web.fetch('http://a.example/', signal)).toMatchObject({ reason: 'timed-out' })
    expect(await web.fetch('ftp://a.example/', signal)).toMatchObject({ reason: 'scheme' })
    const caller = new AbortController()
    answer = () => caller.abort(new Error('enough'))
    await expect(web.fetch('http://a.example/', caller.signal)).rejects.toThrow('enough')
    answer = (socket) => socket.end(response('{}'))
    expect(await web.fetch('http://a.example/', signal)).toMatchObject({ kind: 'fetched' })
  })

  it('hold for hosts that are redirected to', async () => {
    const web = strangers({ requestsPerHostMax: 1 })
    const { sockets, arrived } = held()
    await Promise.all([
      expect(web.fetch('http://b.example/', signal)).resolves.toMatchObject({ kind: 'fetched' }),
      arrived(1).then(async () => {
        answer = (socket) => socket.end(seeOther('http://b.example/'))
        expect(await web.fetch('http://a.example/', signal)).toEqual(busy)
        sockets[0]?.end(response('{}'))
      }),
    ])
  })

  it('of a trusted host are others', async () => {
    const web = trusting({ limits: { requestsPerHostMax: 1, requestsPerTrustedHostMax: 2 } })
    const { sockets, arrived } = held()
    const two = [web.fetch(server.origin, signal), web.fetch(server.origin, signal)]
    await Promise.all([
      expect(Promise.all(two)).resolves.toMatchObject([{ kind: 'fetched' }, { kind: 'fetched' }]),
      arrived(2).then(async () => {
        expect(await web.fetch(server.origin, signal)).toEqual(busy)
        for (const socket of sockets) socket.end(response('{}'))
      }),
    ])
  })
})
