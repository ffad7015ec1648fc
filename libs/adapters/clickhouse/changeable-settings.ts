import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client'
import { RowCut, StoreDenied } from '../../ports/store.ts'
import {
  bufferedResponse,
  type ClickhouseOptions,
  clickhouseDefaults,
  clientOptions,
  desiredSettings,
  ofStatements,
} from './clickhouse-options.ts'
import { type HttpStatements, httpStatements } from './http-statements.ts'
import { askedSettings, shortening, wholeResults } from './partial-results.ts'
import { serverAt, storeError } from './store-error.ts'
import { assertWhole } from './whole-response.ts'

/** Codes of the engine: the profile fixes a setting, or bounds it, or does not know it. */
const fixed = new Set(['164', '452', '115'])
const askTimeoutMs = 5_000

/**
 * Which of our query settings the server lets this user change. A read-only profile (1) fixes all
 * of them, another may fix some; then the profile's own values apply.
 * @throws StoreUnavailable, StoreDenied, StoreMissing, StoreFailed
 */
export async function changeableSettings(options: ClickhouseOptions): Promise<string[]> {
  const settings = { ...clientOptions(options, askTimeoutMs), max_open_connections: 1 }
  const statements = httpStatements(settings)
  const desired = desiredSettings({ ...clickhouseDefaults, ...options })
  const left = new Set<string>()
  const fixedHere = new Set<string>()
  try {
    await answered(statements, {})
    for (const [name, value] of [desired, ...ofStatements].flatMap((one) => Object.entries(one))) {
      const names = (await isLeft(statements, { [name]: value })) ? left : fixedHere
      names.add(name)
    }
    const forced = await forcedSettings(statements, options)
    return [...[...left].filter((name) => !fixedHere.has(name)), ...forced]
  } catch (error) {
    if (error instanceof StoreDenied) throw error
    throw storeError(error, {
      server: serverAt(options.url),
      asked: 'query of system.settings',
      timeoutMs: settings.request_timeout,
    })
  } finally {
    statements.close()
  }
}

/** What has to be sent so that results are whole. @throws StoreDenied if the profile fixes it */
async function forcedSettings(statements: HttpStatements, { url, username }: ClickhouseOptions) {
  const response = await statements.send({
    sql: `${askedSettings}\nFORMAT JSONEachRow`,
    settings: bufferedResponse,
  })
  await assertWhole(async (result) => rowsOf(result).length)(response)
  const forced: string[] = []
  for (const { name, value } of shortening(rowsOf(response.body))) {
    const wanted = Reflect.get(wholeResults, name)
    if (!(await isLeft(statements, { [name]: wanted }))) {
      const sentence =
        `${serverAt(url)} may return only a part of a result: ${name} is '${value}' for the user ` +
        `'${username ?? 'default'}' and may not be changed; set it to '${wanted}' in the profile`
      throw new StoreDenied('settings', sentence)
    }
    forced.push(name)
  }
  return forced
}

/** A JSON text a line. */
function rowsOf(result: Buffer): readonly unknown[] {
  const lines = result.toString().split('\n')
  if (lines.pop() !== '') throw new RowCut()
  return lines.map((line): unknown => JSON.parse(line))
}

/** @throws IncompleteResponse from what is no ClickHouse, ClickHouseError */
async function answered(statements: HttpStatements, one: ClickHouseSettings): Promise<void> {
  const settings = { ...bufferedResponse, ...one }
  const response = await statements.send({ sql: 'SELECT 1\nFORMAT RowBinary', settings })
  await assertWhole(async ({ length }) => length)(response)
}

async function isLeft(statements: HttpStatements, one: ClickHouseSettings): Promise<boolean> {
  try {
    await answered(statements, one)
    return true
  } catch (error) {
    if (error instanceof ClickHouseError && fixed.has(error.code)) return false
    throw error
  }
}
