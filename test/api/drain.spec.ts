import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { served } from './served.ts'

const tokens = `/api/v2/addresses/${anAddress(0xa1)}/tokens`
let api: Awaited<ReturnType<typeof served>>

beforeAll(async () => {
  api = await served({ balancesOfAddress: async () => [] })
})
afterAll(() => api.server.close())

/** Only the server ends the connection, unless the client is asked to. */
const asked = (method: string, headers = '', isEnded = false) =>
  rawExchange(api.server.port, {
    pieces: [`${method} ${tokens} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`],
    isEnded,
  })

test('closes a connection after its response while the server drains', async () => {
  const first = await fetch(api.origin + tokens)
  expect(first.headers.get('connection')).not.toBe('close')
  const etag = String(first.headers.get('etag'))
  const body = await first.text()
  api.server.drain()
  const { statuses, text } = await asked('GET', 'accept-encoding: identity\r\n')
  expect(statuses).toEqual([200])
  expect(text).toMatch(/^connection: close\r$/im)
  expect(text.endsWith(`\r\n\r\n${body}`)).toBe(true)
  const bodiless = [
    await asked('HEAD', '', true),
    await asked('OPTIONS', '', true),
    await asked('GET', `if-none-match: ${etag}\r\n`, true),
  ]
  expect(bodiless.map((each) => each.statuses)).toEqual([[200], [204], [304]])
  for (const each of bodiless) {
    expect(each.text).toMatch(/^connection: close\r$/im)
    expect(each.text.match(/^content-length:/gim)?.length ?? 0).toBeLessThan(2)
  }
})
