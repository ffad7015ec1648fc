import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { alike } from './alike.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Answers with these statuses in turn, then always with the last one. */
async function answering(...statuses: readonly [number, ...number[]]): Promise<string> {
  const left = [...statuses]
  const server = createServer((_, response) => {
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 500
    response.writeHead(status, status === 503 ? { 'retry-after': '0' } : {})
    response.end(`{"status":${status}}`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${portOf(server)}`
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

const question = { path: '/', parameters: {} }

it('asks all again when one of them was unavailable', async () => {
  const origins = [await answering(200), await answering(503, 503, 200)]
  expect(await alike(origins, [question])).toMatchObject({ differences: [], answers: 1 })
  const reversed = [await answering(503, 200), await answering(200)]
  expect(await alike(reversed, [question])).toMatchObject({ differences: [], answers: 1 })
})

it.each([503, 404])('shows an answer of %s that stays', async (status) => {
  const origins = [await answering(200), await answering(status)]
  const { differences } = await alike(origins, [question])
  expect(differences).toEqual([expect.stringContaining(`${status}`)])
})
