import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../services/api/endpoints/routes.ts'
import { notReady } from '../../services/api/response/responses.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { testedBinary } from '../support/tested-binary.ts'
import { until } from '../support/until.ts'
import { type ExplorerDouble, echo, explorerDouble } from './explorer-double.ts'
import { type FailingServer, failingServer } from './failing-server.ts'
import { type FoldscanDouble, foldscanDouble, subjects } from './foldscan-double.ts'
import { type RunningProxy, runningProxy, shippedConfig } from './running-proxy.ts'

const nginx = await testedBinary('nginx')
const config = shippedConfig('nginx-beside')
const { address, transaction } = subjects
const tokens = `/api/v2/addresses/${address}/tokens`
const closing = 'connection: close\r\n\r\n'

/** The ten endpoints, each with a subject that Foldscan has. */
const paths = routes.map(({ path, subject }) =>
  path.replace(/\{[^}]*\}/, subject === 'transaction' ? transaction : address),
)

const servedBy = (body: string) => (echo.safeParse(jsonOf(body)).success ? 'explorer' : 'foldscan')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

describe.skipIf(nginx === null)('nginx before Foldscan and another explorer', () => {
  if (nginx === null) return
  const stops: (() => Promise<void>)[] = []
  let foldscan: FoldscanDouble
  let explorer: ExplorerDouble
  let proxy: RunningProxy

  /** Another nginx: what one has learnt of a server, the next does not know. */
  async function started(api: number, changed = config): Promise<RunningProxy> {
    const own = await runningProxy('nginx', nginx ?? { command: 'nginx', args: [] }, {
      ...{ api, explorer: explorer.port, config: changed },
    })
    stops.push(own.stop)
    return own
  }

  beforeAll(async () => {
    foldscan = await foldscanDouble()
    explorer = await explorerDouble()
    proxy = await started(foldscan.port)
  })
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
    await foldscan.close()
    await explorer.close()
  })

  const get = (
    path: string,
    { port = proxy.port, headers = {}, method = 'GET' }: Partial<Asked> = {},
  ) => fetch(`http://127.0.0.1:${port}${path}`, { method, headers })

  const whoServes = async (path: string, port = proxy.port) => {
    const response = await get(path, { port })
    const who = servedBy(await response.text())
    return `${response.status} of ${who}`
  }
  /** A target that fetch would change. */
  const rawTarget = (target: string) =>
    rawExchange(proxy.port, { pieces: [`GET ${target} HTTP/1.1\r\nhost: x\r\n${closing}`] })
  const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

  describe('sends to Foldscan', () => {
    it('all endpoints', async () => {
      expect(paths).toHaveLength(routes.length)
      for (const path of paths) {
        expect(await whoServes(path), path).toMatch(/^(200|404) of foldscan$/)
        expect((await get(path)).headers.get('x-indexed-block'), path).not.toBeNull()
      }
    })

    it.each([
      ['a cursor', `${tokens}?items_count=1&type=ERC-20`],
      ['hex digits in capitals', tokens.replace(address, `0x${address.slice(2).toUpperCase()}`)],
      ['a slash at the end', `${tokens}/`],
      ['two slashes', tokens.replace('/v2/', '//v2//')],
      ['an escaped letter', tokens.replace('0x', '%30x')],
    ])('another spelling: %s', async (_, target) => {
      const { statuses, text } = await rawTarget(target)
      expect([statuses, servedBy(bodyOf(text))]).toEqual([[200], 'foldscan'])
    })

    it('HEAD, OPTIONS, HTTP/1.0, and methods that it refuses', async () => {
      const head = await get(tokens, { method: 'HEAD' })
      expect([head.status, head.headers.get('x-indexed-block')]).toEqual([200, '101'])
      expect((await get(tokens, { method: 'OPTIONS' })).status).toBe(204)
      const posted = await fetch(`http://127.0.0.1:${proxy.port}${tokens}`, {
        ...{ method: 'POST', body: 'x' },
      })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
      const old = await rawExchange(proxy.port, { pieces: [`GET ${tokens} HTTP/1.0\r\n\r\n`] })
      expect(old.statuses).toEqual([200])
      expect(old.text).toContain('x-indexed-block')
    })

    it('many headers, and those that it does not read', async () => {
      const many = Array.from({ length: 120 }, (_, at) => `x-${at}: 1\r\n`).join('')
      const head = `GET ${tokens} HTTP/1.1\r\nhost: x\r\nx_y: 1\r\n${many}${closing}`
      const { statuses, text } = await rawExchange(proxy.port, { pieces: [head] })
      expect([statuses, servedBy(bodyOf(text))]).toEqual([[200], 'foldscan'])
    })

    it('what its own configuration of nginx sends', () => {
      const sent = (text: string) =>
        [...text.matchAll(/^ +(proxy_set_header (?!host)\S+ .*|proxy_pass_request_\w+ .*)$/gm)].map(
          ([, line]) => line,
        )
      const own = sent(shippedConfig('nginx'))
      expect(own.length).toBeGreaterThan(10)
      expect(sent(config)).toEqual(expect.arrayContaining(own))
    })
  })

  describe('leaves the responses of Foldscan as they are', () => {
    it('with all headers', async () => {
      for (const headers of [{ 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip' }]) {
        const asked = { headers: { ...headers, 'x-request-id': 'an-id-of-twenty-characters' } }
        const direct = await get(tokens, { ...asked, port: foldscan.port })
        const through = await get(tokens, asked)
        expect(lastingHeaders(through)).toEqual(lastingHeaders(direct))
        expect(await through.text()).toBe(await direct.text())
        const etag = `${through.headers.get('etag')}`
        const again = await get(tokens, { headers: { ...headers, 'if-none-match': etag } })
        expect(again.status).toBe(304)
      }
    })

    it.each([
      { status: 404, path: `/api/v2/tokens/0x${'9'.repeat(40)}`, accept: '*/*' },
      { status: 422, path: `${tokens}?items_count=x`, accept: '*/*' },
      { status: 414, path: `${tokens}?a=${'1'.repeat(5_000)}`, accept: '*/*' },
      { status: 406, path: tokens, accept: 'text/html' },
    ])('$status', async ({ status, path, accept }) => {
      const response = await get(path, { headers: { accept } })
      expect([response.status, servedBy(await response.text())]).toEqual([status, 'foldscan'])
    })

    it('429 for a client over its limit', async () => {
      const limited = await foldscanDouble({ requests: 1 })
      const { port } = await started(limited.port)
      expect(await whoServes(tokens, port)).toBe('200 of foldscan')
      const response = await get(tokens, { port })
      expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([429, '0'])
      expect(response.headers.get('retry-after')).not.toBeNull()
      expect(servedBy(await response.text())).toBe('foldscan')
      await limited.close()
    })
  })

  describe('sends to the explorer', () => {
    it.each([
      ...['/', '/docs', '/address/0x1', '/api/v2', '/api/v2/stats', '/api/v2/main-page/blocks'],
      ...['/api/v2/tokens', '/api/v2/tokens/bridged', '/api/v2/openapi.json', '/api?module=block'],
      ...[`/api/v2/addresses/${address}`, `/api/v2/addresses/${address}/counters`],
      ...[`${tokens}/more`, tokens.replace('tokens', 'token'), tokens.replace('api', 'API')],
      ...[`/api/v2/tokens/${address}/instances`, `/api/v2/transactions/${transaction}`],
      ...[`/api/v2/transactions/${transaction}/logs`, `/api/v2/transactions/${address}/summary`],
      ...[`/api/v2/tokens/${address}0`, `/x${tokens}`, '/metrics', '/health/ready', '//metrics'],
      ...[`${tokens}/../counters`, `${tokens}/%2e%2e/counters`, '/api/v2/x%2fy?a=%2f'],
    ])('%s', async (target) => {
      const { statuses, text } = await rawTarget(target)
      expect(statuses).toEqual([200])
      expect(echo.parse(jsonOf(bodyOf(text)))).toMatchObject({ method: 'GET', target })
    })

    it('headers and bodies, and WebSockets', async () => {
      const { port } = proxy
      const headers = {
        authorization: 'Bearer x',
        'accept-language': 'de',
        origin: 'https://a.example',
      }
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/import`, {
        ...{ method: 'POST', headers, body: 'x'.repeat(50_000) },
      })
      const asked = echo.parse(await response.json())
      expect(asked).toMatchObject({ method: 'POST', bodyBytes: 50_000, headers })
      expect(asked.headers.host).toBe('127.0.0.1')
      const upgrade = 'host: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'
      const socket = await rawExchange(port, { pieces: [`GET /socket HTTP/1.1\r\n${upgrade}`] })
      expect(socket.statuses).toEqual([101])
    })
  })

  it('shows nobody the metrics of Foldscan', async () => {
    const targets = [
      ...[`${tokens}/../../../../../metrics`, `/metrics/../${tokens.slice(1)}`],
      ...[`/metrics/..${tokens}`, `/metrics%2f..${tokens}`, `/metrics?${tokens}`],
    ]
    for (const target of targets) {
      const { text } = await rawTarget(target)
      expect(text, target).not.toContain('foldscan_')
    }
  })

  describe('has the ten endpoints answered by the explorer', () => {
    it('while Foldscan is not ready, with what the client sent, and then by Foldscan', async () => {
      foldscan.answersBy(notReady)
      const { port } = await started(foldscan.port, replaced(config, 'fail_timeout=10s', '1s'))
      const headers = { authorization: 'Bearer x', origin: 'https://a.example', cookie: 'a=b' }
      const target = `${tokens.replace('0x', '%30x')}?items_count=%32`
      for (const path of [...paths, ...paths]) {
        expect(await whoServes(path, port), path).toBe('200 of explorer')
      }
      const asked = echo.parse(await (await get(target, { port, headers })).json())
      expect(asked).toMatchObject({ method: 'GET', target, headers })
      foldscan.answersBy(null)
      await until('Foldscan answers again', async () => {
        return (await whoServes(tokens, port)) === '200 of foldscan'
      })
    })

    it('while it has a fault', async () => {
      let faults = 0
      foldscan.answersBy(async () => {
        faults += 1
        return { status: 500, headers: {}, body: Buffer.from('{}') }
      })
      const { port } = await started(foldscan.port)
      expect(await whoServes(tokens, port)).toBe('200 of explorer')
      expect(faults).toBe(1)
      foldscan.answersBy(null)
    })

    it('while it is away', async () => {
      const gone = await foldscanDouble()
      await gone.close()
      const { port } = await started(gone.port)
      for (const path of paths) expect(await whoServes(path, port)).toBe('200 of explorer')
    })

    it('when it ends under load: no request fails', async () => {
      const ending = await foldscanDouble()
      const { port } = await started(ending.port)
      const served = new Set<string>()
      let isOver = false
      const clients = Array.from({ length: 8 }, async () => {
        while (!isOver) served.add(await whoServes(tokens, port))
      })
      await until('Foldscan answers', () => served.has('200 of foldscan'))
      await ending.close()
      await until('the explorer answers', () => served.has('200 of explorer'))
      isOver = true
      await Promise.all(clients)
      expect([...served].sort()).toEqual(['200 of explorer', '200 of foldscan'])
    })

    it.each<[string, string]>([
      ['before a byte of its response', ''],
      ['in the middle of its headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ])('when it ends %s', async (_, beginning) => {
      const failing = await failed(beginning, 'closes')
      const { port } = await started(failing.port)
      expect(await whoServes(tokens, port)).toBe('200 of explorer')
      expect(failing.requests()).toBe(1)
    })

    it('when it hangs, and soon without waiting for it', async () => {
      const failing = await failed('', 'hangs')
      const short = replaced(config, 'proxy_read_timeout 15s', 'proxy_read_timeout 1s')
      const { port } = await started(failing.port, short)
      const five = await Promise.all(Array.from({ length: 5 }, () => whoServes(tokens, port)))
      expect(new Set(five)).toEqual(new Set(['200 of explorer']))
      for (const path of paths) expect(await whoServes(path, port)).toBe('200 of explorer')
      expect(failing.requests()).toBe(5)
    })

    async function failed(beginning: string, then: 'closes' | 'hangs'): Promise<FailingServer> {
      const failing = await failingServer(beginning, then)
      stops.push(failing.close)
      return failing
    }
  })

  it('cuts a response that Foldscan ends in the middle of its body: none is short', async () => {
    const beginning = 'HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n{"items":['
    const failing = await failingServer(beginning, 'closes')
    stops.push(failing.close)
    const { port } = await started(failing.port)
    await expect(get(tokens, { port }).then((response) => response.text())).rejects.toThrow()
  })
})

interface Asked {
  readonly port: number
  readonly headers: Record<string, string>
  readonly method: string
}

/** Those that are the same whenever it is asked. */
const lastingHeaders = ({ headers }: Response) =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => !/^(?:connection|date|keep-alive|server|x-ratelimit-re.*)$/.test(name),
    ),
  )

/** @throws if the text is not there */
function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`there is no ${part}`)
  return text.replace(part, by.includes(' ') ? by : `${part.split('=')[0]}=${by}`)
}
