import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { changeableSettings } from './changeable-settings.ts'
import { clickhouseDefaults, querySettings } from './clickhouse-options.ts'

const address = z.object({ port: z.number() })
let server: Server | null = null
afterEach(() => void server?.close())

const summaryOf = (rows: number) =>
  JSON.stringify({ read_rows: '0', read_bytes: '0', result_rows: `${rows}`, written_rows: '0' })

type Values = Readonly<Record<string, string>>

/** What a server sends: its header, and bytes of its result. */
interface Sent {
  readonly summary: string | null
  readonly body: string
}

/** As a server sends a result of so many rows. */
const whole = (rows: number, body: string): Sent => ({ summary: summaryOf(rows), body })

interface ServerOptions {
  /** Values of settings that it refuses, as the constraints of a profile do. */
  readonly refused?: Values
  /** What system.settings has. */
  readonly profile?: Values
  /** What arrives of a result. */
  readonly cut?: (sent: Sent, sql: string) => Sent
}

async function serverWith({ refused = {}, profile = {}, cut }: ServerOptions): Promise<string> {
  const listed = Object.entries(profile).map(([name, value]) => JSON.stringify({ name, value }))
  const lines = whole(listed.length, listed.map((line) => `${line}\n`).join(''))
  server = createServer(async (request, response) => {
    const sql = String(Buffer.concat(await request.toArray()))
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const isRefused = Object.entries(refused).some(([name, one]) => searchParams.get(name) === one)
    const result = sql.includes('system.settings') ? lines : whole(1, '\x01')
    const { summary, body } = cut?.(result, sql) ?? result
    response.statusCode = isRefused ? 500 : 200
    if (summary !== null) response.setHeader('X-ClickHouse-Summary', summary)
    response.end(isRefused ? 'Code: 452. DB::Exception: out of bounds. (SETTING_CONSTRAINT)' : body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${address.parse(server.address()).port}`
}

const settingsOf = async (refused: Values, profile: Values = {}, cut?: ServerOptions['cut']) =>
  changeableSettings({
    url: await serverWith({ refused, profile, ...(cut && { cut }) }),
    username: 'reader',
    password: 'secret',
    database: 'any',
  })

test.each(['1024', '65536'])('blocks are left to us only if %s rows are, too', async (refused) => {
  const left = await settingsOf({ max_block_size: refused })
  expect(left).not.toContain('max_block_size')
  expect(left).toContain('max_rows_to_read')
})

test('the time limit of a statement is left to us only if the profile does not fix it', async () => {
  const left = await settingsOf({ max_execution_time: '1' })
  expect(left).not.toContain('max_execution_time')
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

const shortened = { read_overflow_mode: 'throw', limit: '10' }
const ofList = (sent: Sent, sql: string, body: string): Sent =>
  sql.includes('system.settings') ? { ...sent, body } : sent
const cuts: readonly [string, NonNullable<ServerOptions['cut']>, RegExp][] = [
  [
    'a list that ends after a row',
    (sent, sql) => ofList(sent, sql, sent.body.slice(0, sent.body.indexOf('\n') + 1)),
    /did not send its whole response .*1 of 2 rows arrived/,
  ],
  [
    'a list that ends within a row',
    (sent, sql) => ofList(sent, sql, sent.body.slice(0, -3)),
    /did not send its whole response .*ends within a row/,
  ],
  ['an empty list', (sent, sql) => ofList(sent, sql, ''), /0 of 2 rows arrived/],
  [
    'a list without the header',
    (sent, sql) => (sql.includes('system.settings') ? { ...sent, summary: null } : sent),
    /does not respond like ClickHouse/,
  ],
  [
    'an empty response without the header',
    () => ({ summary: null, body: '' }),
    /does not respond like ClickHouse/,
  ],
  ['no row where there is one', (sent) => ({ ...sent, body: '' }), /0 of 1 rows arrived/],
]

test.each(cuts)('%s is no answer', async (_, cut, sentence) => {
  const asked = settingsOf({}, shortened, cut)
  await expect(asked).rejects.toMatchObject({ name: 'StoreUnavailable' })
  await expect(asked).rejects.toThrow(sentence)
})
