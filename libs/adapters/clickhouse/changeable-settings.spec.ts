import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { changeableSettings } from './clickhouse-options.ts'

const address = z.object({ port: z.number() })
let server: Server | null = null
afterEach(() => void server?.close())

const zero = { read_rows: '0', read_bytes: '0', result_rows: '0', written_rows: '0' }
const summary = JSON.stringify(zero)

/** A server that refuses these values of settings, as the constraints of a profile do. */
async function serverRefusing(values: Readonly<Record<string, string>>): Promise<string> {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const isRefused = Object.entries(values).some(([name, one]) => searchParams.get(name) === one)
    request.resume()
    response.statusCode = isRefused ? 500 : 200
    response.setHeader('X-ClickHouse-Summary', summary)
    response.end(isRefused ? 'Code: 452. DB::Exception: out of bounds. (SETTING_CONSTRAINT)' : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${address.parse(server.address()).port}`
}

const settingsOf = async (values: Readonly<Record<string, string>>) =>
  changeableSettings({
    url: await serverRefusing(values),
    username: 'reader',
    password: 'secret',
    database: 'any',
  })

test.each(['1024', '65536'])('blocks are left to us only if %s rows are, too', async (refused) => {
  const left = await settingsOf({ max_block_size: refused })
  expect(left).not.toContain('max_block_size')
  expect(left).toContain('max_rows_to_read')
})

test('each setting that nothing refuses is named once', async () => {
  const left = await settingsOf({})
  expect(left.filter((name) => name === 'max_block_size')).toHaveLength(1)
})
