import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openApiExamples } from '../../libs/presenters/open-api/open-api-examples.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { type MainnetServer, mainnetServer } from './mainnet-server.ts'

const file = new URL('../../libs/presenters/open-api/open-api-examples.json', import.meta.url)
/** A reader sees an example whole. */
const charactersMax = 8_000

let server: MainnetServer

beforeAll(async () => {
  server = await mainnetServer()
})
afterAll(() => server.stop())

it('has an example of each operation', () => {
  const operations = routes.map(({ operationId }) => operationId)
  expect(Object.keys(openApiExamples)).toEqual(operations)
})

/** Renewed by `npx vitest run --project whole test/openapi/examples.spec.ts -u`. */
it('has as examples whole answers to their requests, of the real blocks', async () => {
  const answered: Record<string, object> = {}
  for (const [operationId, { request }] of Object.entries(openApiExamples)) {
    const { status, body } = await server.get(request)
    expect(status, request).toBe(200)
    answered[operationId] = { request, body }
    expect(JSON.stringify(body).length, request).toBeLessThan(charactersMax)
  }
  await expect(`${JSON.stringify(answered, null, 2)}\n`).toMatchFileSnapshot(fileURLToPath(file))
})
