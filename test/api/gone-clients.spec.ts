import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { anAddress } from '../../libs/presenters/testing/rows.ts'
import { until } from '../support/until.ts'
import { served } from './served.ts'

const tokensOf = (number: number) => `/api/v2/addresses/${anAddress(0xa000 + number)}/tokens`

test('loads no page whose clients have all left, and serves the others', async () => {
  const gates: (() => void)[] = []
  const asked: string[] = []
  const api = await served(
    {
      balancesOfAddress: ({ holder }) => {
        asked.push(holder)
        return new Promise((resolve) => gates.push(() => resolve([])))
      },
    },
    { loads: { loadsMax: 1, loadWaitMsMax: 60_000, loadMsMax: 60_000 } },
  )
  const waiting = async () => {
    const [, count] = /^foldscan_requests_in_flight (\d+)/m.exec(await api.counted()) ?? []
    return Number(count)
  }
  const first = fetch(api.origin + tokensOf(0))
  await until('the first page is being loaded', () => asked.length === 1)
  const clients = await Promise.all(
    Array.from({ length: 200 }, (_, at) => requested(api.server.port, tokensOf(1 + (at % 50)))),
  )
  await until('all requests have come', async () => (await waiting()) === 201)
  for (const client of clients) client.resetAndDestroy()
  await until('they have left', async () => (await waiting()) === 1)
  for (const open of gates) open()
  expect((await first).status).toBe(200)
  const next = fetch(api.origin + tokensOf(1))
  await until('the next page is being loaded', () => asked.length === 2)
  for (const open of gates) open()
  expect((await next).status).toBe(200)
  expect(asked).toEqual([anAddress(0xa000), anAddress(0xa001)])
  await api.server.close()
})

function requested(port: number, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}
