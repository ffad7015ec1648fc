import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { BoundedQueue } from '../../bounds/bounded-queue.ts'
import {
  type CountedRows,
  insertedBytes,
  type QueryOptions,
  type QueryParameters,
  RowBoundRefused,
  type Store,
  StoreBehind,
  StoreOverloaded,
} from '../../ports/store.ts'
import {
  bufferedResponse,
  type ClickhouseOptions,
  clickhouseDefaults,
  clientOptions,
  fixedBounds,
  querySettings,
  quorumSettings,
  resultLimitSettings,
  withoutFixedSettings,
} from './clickhouse-options.ts'
import { type CountedResponse, type HttpStatement, httpStatements } from './http-statements.ts'
import { checkedReplica, withCondition } from './replica-condition.ts'
import { IncompleteResponse, summaryOf } from './response-summary.ts'
import { isReset, serverAt, storeError } from './store-error.ts'
import { assertWhole, type Check } from './whole-response.ts'

/** ClickHouse over HTTP. */
export function clickhouseStore(options: ClickhouseOptions): Store {
  const o = { ...clickhouseDefaults, ...options }
  const reading = statementsFor(o, o.queryTimeoutMs)
  const inserts = statementsFor(o, o.insertTimeoutMs)
  const changing = clientFor(o, o.insertTimeoutMs)
  const pinging = statementsFor({ ...o, maxConnections: 1 }, o.pingTimeoutMs)
  const serving = querySettings(o)
  const fixed = fixedBounds(o.changeableSettings)
  const inserting = { ...insertSettings, ...(o.isCluster ? quorumSettings(o.insertTimeoutMs) : {}) }
  const queue = new BoundedQueue({
    runningMax: o.maxConnections,
    waitingMax: o.waitingMax,
    waitMsMax: o.waitMsMax,
    rejection: (_, sentence) => new StoreOverloaded(`queries for ${serverAt(o.url)}: ${sentence}`),
  })
  return {
    async insert(table, columns, rows) {
      const sql = `INSERT INTO ${quoted(table)} (${columns.map(quoted)}) FORMAT RowBinary`
      const insert = { sql, rows: insertedBytes(rows), settings: inserting }
      await inserts.answered(`insert into ${table}`, insert, assertWritten(rows))
    },
    async query(sql, parameters, options = {}) {
      const { onCost, signal, bytesMax, rowsReadMax, countRows } = options
      if (rowsReadMax !== undefined && fixed.length > 0) {
        throw new RowBoundRefused(`the profile of this user fixes ${fixed}`)
      }
      const sent = checked(sql, parameters, options)
      if (sent === null) {
        throw new StoreBehind(`no replica of ${serverAt(o.url)} is known to have all rows`)
      }
      const query = {
        sql: `${withoutFixedSettings(sent.sql, o.changeableSettings)}\nFORMAT RowBinary`,
        parameters: sent.parameters,
        settings: {
          ...serving,
          ...resultLimitSettings(bytesMax, o.changeableSettings),
          ...(rowsReadMax === undefined ? {} : { max_rows_to_read: String(rowsReadMax) }),
        },
        signal,
        bytesMax,
        onCost,
      }
      // Inserts have connections of their own, which readers do not use otherwise.
      const response = options.isUrgent
        ? await inserts.send('query', query)
        : await queue.run(() => reading.send('query', query), { signal })
      return await reading.checked('query', response, assertWhole(countRows))
    },
    // Not sent again: a statement may have been done though its answer was lost.
    execute: (sql) =>
      changing.askOnce('statement', async (client) => {
        const { response_headers: headers } = await client.command({ query: sql })
        summaryOf(headers['x-clickhouse-summary'])
      }),
    async ping(signal) {
      await pinging.answered('ping', { ...ping, signal }, assertWhole(undefined))
    },
    async close() {
      await Promise.all([reading, inserts, changing, pinging].map(({ close }) => close()))
    },
  }
}

const ping = { sql: 'SELECT 1\nFORMAT RowBinary', settings: bufferedResponse }

/** Materialized views of the operator's own count, too. */
const assertWritten =
  (rows: Uint8Array | CountedRows): Check =>
  ({ summary }) => {
    const writtenRows = summary.writtenRows()
    const sent = rows instanceof Uint8Array ? Math.min(rows.length, 1) : rows.count
    if (writtenRows < sent) {
      throw new IncompleteResponse('lost rows', `${writtenRows} of ${sent} rows were written`)
    }
  }

/** With the condition on the replica that answers, where there is one. */
function checked(sql: string, parameters: QueryParameters, options: QueryOptions) {
  const { group, position, replicas } = options
  if (replicas !== undefined) return checkedReplica(sql, parameters, replicas)
  if (group === undefined || position === undefined) return { sql, parameters }
  return {
    sql: withReplicaCheck(sql),
    parameters: { ...parameters, ...replicaCheckParameters(group, position) },
  }
}

/** One insert is one block: atomically visible, and on disk when it is acknowledged. */
const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  // Above both bounds of a flush: nothing splits it.
  max_insert_block_size: '1100000',
  min_insert_block_size_rows: '1100000',
  min_insert_block_size_bytes: '268435456',
  ...bufferedResponse,
}

/** A client whose errors name the server and the request. */
function clientFor(options: ClickhouseOptions, timeoutMs: number) {
  const settings = clientOptions(options, timeoutMs)
  const client = createClient(settings)
  const named = namedErrors(options.url, settings.request_timeout)
  const askOnce = <T>(asked: string, ask: Ask<T>): Promise<T> => named(asked, () => ask(client))
  return { askOnce, close: () => client.close() }
}

type Ask<T> = (client: ClickHouseClient) => Promise<T>

/** Queries or inserts, whose errors name the server and the request. */
function statementsFor(options: ClickhouseOptions, timeoutMs: number) {
  const settings = clientOptions(options, timeoutMs)
  const statements = httpStatements(settings)
  const named = namedErrors(options.url, settings.request_timeout)
  const send = (asked: string, statement: HttpStatement): Promise<CountedResponse> => {
    const { signal } = statement
    const attempt = () => statements.send(statement)
    return named(asked, () => againAfterReset(attempt, () => signal?.aborted !== true), signal)
  }
  const checked = (asked: string, response: CountedResponse, check: Check): Promise<Buffer> =>
    named(asked, async () => {
      await check(response)
      return response.body
    })
  const answered = async (asked: string, statement: HttpStatement, check: Check): Promise<Buffer> =>
    checked(asked, await send(asked, statement), check)
  const close = async () => statements.close()
  return { send, checked, answered, close }
}

/** What rejects names the server and the request, or is the reason of the signal. */
function namedErrors(url: string, timeoutMs: number) {
  const server = serverAt(url)
  return async <T>(asked: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw signal?.aborted === true
        ? signal.reason
        : storeError(error, { server, asked, timeoutMs })
    }
  }
}

/** Once more after a reset: the server may close an idle socket while a request is sent. */
async function againAfterReset<T>(attempt: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (isReset(error) && mayRepeat()) return await attempt()
    throw error
  }
}

const quoted = (name: string) => `\`${name.replaceAll('`', '')}\``

/**
 * A condition on the replica that answers: its own `progress` has reached the wanted position. It
 * is evaluated before any row is read; `throwIf` ends the query with code 395.
 *
 * A group's row in `progress` is written after all rows up to its position. Where each table has a
 * replication queue of its own, `progress` may be there while rows of another table are still being
 * fetched: there the state of each table is asked instead, see `replica-condition.ts`.
 */
const isThere = `(
  SELECT throwIf(max(position) < {wantedPosition:UInt64})
  FROM progress
  WHERE group = {wantedGroup:String}
) = 0`

/** A query that a replica which is behind rejects. @throws if it has no WHERE */
const withReplicaCheck = (sql: string): string => withCondition(sql, isThere)

/** The parameters of the check. */
const replicaCheckParameters = (group: string, position: number) => ({
  wantedGroup: group,
  wantedPosition: position,
})
