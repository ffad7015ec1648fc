import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { changeableSettings, clickhouseDefaults, querySettings } from './clickhouse-options.ts'

const address = z.object({ port: z.number() })
let server: Server | null = null
afterEach(() => void server?.close())

const zero = { read_rows: '0', read_bytes: '0', result_rows: '0', written_rows: '0' }
const summary = JSON.stringify(zero)

/** A server that refuses these values of settings, as the constraints of a profile do. */
async function serverRefusing(
  values: Readonly<Record<string, string>>,
  profile: Readonly<Record<string, string>> = {},
): Promise<string> {
  const listed = Object.entries(profile).map(([name, value]) => JSON.stringify({ name, value }))
  server = createServer(async (request, response) => {
    const sent = String(Buffer.concat(await request.toArray()))
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const isRefused = Object.entries(values).some(([name, one]) => searchParams.get(name) === one)
    response.statusCode = isRefused ? 500 : 200
    response.setHeader('X-ClickHouse-Summary', summary)
    response.end(
      isRefused
        ? 'Code: 452. DB::Exception: out of bounds. (SETTING_CONSTRAINT)'
        : rowsOf(sent, listed),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${address.parse(server.address()).port}`
}

const rowsOf = (sql: string, listed: readonly string[]) =>
  sql.includes('system.settings') ? listed.join('\n') : ''

const settingsOf = async (
  values: Readonly<Record<string, string>>,
  profile: Readonly<Record<string, string>> = {},
) =>
  changeableSettings({
    url: await serverRefusing(values, profile),
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

test('a server that does not know the cache of conditions is not sent it', async () => {
  expect(await settingsOf({ use_query_condition_cache: '0' })).not.toContain(
    'use_query_condition_cache',
  )
})

test.each([
  ['read_overflow_mode', 'break', 'throw'],
  ['result_overflow_mode', 'break', 'throw'],
  ['timeout_overflow_mode', 'break', 'throw'],
  ['sort_overflow_mode', 'break', 'throw'],
  ['group_by_overflow_mode', 'any', 'throw'],
  ['distinct_overflow_mode', 'break', 'throw'],
  ['limit', '10', '0'],
])(
  '%s = %s of a profile is changed, or refused where it may not be',
  async (name, value, wanted) => {
    const profile = { [name]: value, max_threads: '8' }
    const left = await settingsOf({}, profile)
    expect(left).toContain(name)
    const sent = querySettings({ ...clickhouseDefaults, changeableSettings: left })
    expect(Reflect.get(sent, name)).toBe(wanted)
    const refused = settingsOf({ [name]: wanted }, profile)
    await expect(refused).rejects.toMatchObject({ name: 'StoreDenied', kind: 'settings' })
    await expect(refused).rejects.toThrow(`${name} is '${value}' for the user 'reader'`)
  },
)

test('what the profile has as it should be is not sent', async () => {
  const left = await settingsOf({}, { read_overflow_mode: 'throw', limit: '0' })
  expect(left).not.toContain('read_overflow_mode')
  expect(left).not.toContain('limit')
})
