import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WebResult } from '../../ports/web.ts'
import { httpWeb } from './http-web.ts'
import { attackersNames, attacks } from './testing/attack-urls.ts'
import { allOf, type LocalServer, localServer, response, trap } from './testing/local-servers.ts'

let trapped: Awaited<ReturnType<typeof trap>>
let gateway: LocalServer

const fast = { timeoutMs: 10_000, connectTimeoutMs: 200 }
const signal = new AbortController().signal

const resolve = async (host: string): Promise<readonly string[]> => {
  const addresses = attackersNames[host]
  if (addresses === undefined) throw new Error(`ENOTFOUND ${host}`)
  return addresses
}

const withPort = (url: string) => url.replaceAll('PORT', `${trapped.port}`)

async function fetched(url: string): Promise<WebResult> {
  const web = httpWeb({ resolve, trusted: allOf(gateway.origin), limits: fast })
  try {
    return await web.fetch(url, signal)
  } finally {
    await web.close()
  }
}

beforeAll(async () => {
  trapped = await trap()
  // Path /redirect/N leads to the Nth attack.
  gateway = await localServer((socket, head) => {
    const [, number] = /^GET \/redirect\/(\d+) /.exec(head) ?? []
    const [target] = attacks[Number(number)] ?? []
    if (target === undefined) socket.end(response('', [], '404 Not Found'))
    else socket.end(Buffer.from(response('', [`Location: ${withPort(target)}`], '302 Found')))
  })
})
afterAll(async () => {
  await trapped.close()
  await gateway.close()
})

describe('a URL of an attacker', () => {
  it('is one of many', () => expect(attacks.length).toBeGreaterThan(150))

  it.each(attacks.map(([url, reason]) => ({ url, reason })))(
    '$url reaches nobody',
    async ({ url, reason }) => {
      const result = await fetched(withPort(url))
      expect(result).toMatchObject({ kind: 'failed', reason })
      expect(JSON.stringify(result)).not.toMatch(/secret|passwd|docker/)
      expect(trapped.connections()).toBe(0)
    },
  )

  it.each(
    attacks.map(([url, reason, redirected = reason], at) => ({ url, reason: redirected, at })),
  )('$url reaches nobody as the target of a redirect', async ({ reason, at }) => {
    const result = await fetched(`${gateway.origin}/redirect/${at}`)
    expect(result).toMatchObject({ kind: 'failed', reason })
    expect(JSON.stringify(result)).not.toMatch(/secret|passwd|docker/)
    expect(trapped.connections()).toBe(0)
  })

  it('would reach the trap if its origin was trusted', async () => {
    const web = httpWeb({
      trusted: allOf(`http://127.0.0.1:${trapped.port}`),
      limits: { timeoutMs: 50 },
    })
    const result = await web.fetch(`http://2130706433:${trapped.port}/`, signal)
    expect(result).toMatchObject({ kind: 'failed', reason: 'timed-out' })
    expect(trapped.connections()).toBe(1)
  })
})
