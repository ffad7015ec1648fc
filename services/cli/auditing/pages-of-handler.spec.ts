import { expect, test } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../../libs/ports/http.ts'
import { ExplorerError } from '../operate/explorer/explorer.ts'
import { pagesOfHandler } from './pages-of-handler.ts'

const answer = (status: number, body: unknown, head?: string): HttpResponse => ({
  ...{ status, body: Buffer.from(JSON.stringify(body)) },
  headers: head === undefined ? {} : { 'x-indexed-block': head },
})

function asking(response: HttpResponse) {
  const requests: HttpRequest[] = []
  const stopping = new AbortController()
  const handler = (request: HttpRequest) => {
    requests.push(request)
    return response
  }
  return { ask: pagesOfHandler(handler, stopping.signal), requests, stopping }
}

test('asks as no client, so that no limit counts, and reads the block of the page', async () => {
  const { ask, requests } = asking(answer(200, { items: [] }, '7'))
  const page = await ask('/api/v2/tokens/0x1/holders', { items_count: '100', value: '1' })
  expect(page).toEqual({ status: 200, body: { items: [] }, head: 7 })
  expect(requests).toMatchObject([
    { method: 'GET', path: '/api/v2/tokens/0x1/holders', query: 'items_count=100&value=1' },
  ])
  expect(requests[0]).toMatchObject({ client: '0.0.0.0', isOwn: true })
})

test('an absent page is an answer, a failure is none', async () => {
  const { ask } = asking(answer(404, { message: 'Not found' }))
  expect(await ask('/', {})).toMatchObject({ status: 404, head: null })
  const failed = asking(answer(503, {})).ask('/', {})
  await expect(failed).rejects.toThrow(new ExplorerError('returned 503'))
})

test('asks nothing once the process stops', async () => {
  const { ask, requests, stopping } = asking(answer(200, {}))
  stopping.abort()
  await expect(ask('/', {})).rejects.toThrow('stopping')
  expect(requests).toEqual([])
})
