import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeableSettings } from '../../libs/adapters/clickhouse/changeable-settings.ts'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Engine, startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import { createDatabase } from '../../libs/adapters/clickhouse/query-engine.ts'
import {
  ResultTooLarge,
  RowBoundRefused,
  type Store,
  StoreDenied,
  StoreMissing,
  TooManyRows,
} from '../../libs/ports/store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { claimDeployment, deploymentOf } from '../../libs/tables/deployment.ts'
import { migrate, notMigrated } from '../../libs/tables/migrate.ts'
import { balances } from '../../libs/tables/tables/balances.ts'

const database = 'test_reading'
const reader = { username: 'reader', password: 'reads-only', databases: ['test'] }
/** Which a profile for reading lets every statement set. */
const boundsOfStatements = ['max_result_bytes', 'max_rows_to_read', 'max_bytes_to_sort']
const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-reading-'))
let engine: Engine
let writing: Store

const asReader = () => ({ url: engine.url, ...reader, database })

beforeAll(async () => {
  engine = await startEngine({ folder, log: silentLog, access: { password: 'all', reader } })
})
afterAll(async () => {
  await writing?.close()
  await engine.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('a user who may only read', () => {
  it('learns that the database is missing, before it is made', async () => {
    await expect(changeableSettings(asReader())).rejects.toBeInstanceOf(StoreMissing)
  })

  it('learns that the tables are missing, before they are made', async () => {
    await createDatabase(engine, database)
    writing = clickhouseStore({ ...engine, database })
    const store = clickhouseStore({ ...asReader(), changeableSettings: [] })
    await expect(notMigrated(store)).rejects.toBeInstanceOf(StoreMissing)
    await migrate(writing)
    expect(await notMigrated(store)).toEqual([])
    expect(await deploymentOf(store)).toBeNull()
    await store.close()
  })

  it('may change no setting that its profile holds at another value', async () => {
    const slower = { ...asReader(), queryTimeoutMs: 3_000 }
    const left = await changeableSettings(slower)
    // What the profile holds at the very value that we would give is no change.
    expect(left).toEqual([
      'max_threads',
      'output_format_parallel_formatting',
      'log_queries',
      'max_memory_usage',
      'max_block_size',
      ...boundsOfStatements,
      'enable_shared_storage_snapshot_in_query',
    ])
  })

  it('reads, as nothing is sent that the server refuses', async () => {
    const { id } = await claimDeployment(writing, 7)
    const slower = { ...asReader(), queryTimeoutMs: 3_000 }
    const refused = clickhouseStore(slower)
    await expect(deploymentOf(refused)).rejects.toThrow('READONLY')
    const store = clickhouseStore({
      ...slower,
      changeableSettings: await changeableSettings(slower),
    })
    expect(await deploymentOf(store)).toEqual({ id, chainId: 7 })
    // Parameters that are sent in a multipart body, and are no settings either.
    const keys = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(64, '0'))
    const counted = await store.query('SELECT toUInt64(length({keys:Array(String)}))', { keys })
    expect(counted.readBigUInt64LE(0)).toBe(1_000n)
    const ownSettings = `SELECT value FROM ${balances.stored}\nSETTINGS max_block_size = 1024\n`
    await expect(refused.query(ownSettings, {})).rejects.toThrow('READONLY')
    expect(await store.query(ownSettings, {})).toHaveLength(0)
    // Without the bound the query might read a whole table.
    const bounded = { rowsReadMax: 10 }
    const fixed = clickhouseStore({
      ...slower,
      changeableSettings: ['max_rows_to_read', 'max_block_size'],
    })
    await expect(fixed.query(ownSettings, {}, bounded)).rejects.toBeInstanceOf(RowBoundRefused)
    for (const one of [refused, store, fixed]) await one.close()
  })

  it('bounds the rows that a query reads, its memory for sorting, and its result', async () => {
    const rows = Array.from({ length: 9 }, (_, at) => Buffer.from([at]))
    await writing.execute('CREATE TABLE bounded (n UInt8) ENGINE = MergeTree ORDER BY n')
    await writing.insert('bounded', ['n'], Buffer.concat(rows))
    const store = clickhouseStore({
      ...asReader(),
      changeableSettings: await changeableSettings(asReader()),
    })
    const sql = 'SELECT n FROM bounded ORDER BY n\nSETTINGS max_bytes_to_sort = 67108864'
    expect(await store.query(sql, {}, { rowsReadMax: 9 })).toEqual(Buffer.concat(rows))
    await expect(store.query(sql, {}, { rowsReadMax: 8 })).rejects.toBeInstanceOf(TooManyRows)
    await expect(store.query(sql, {}, { bytesMax: 8 })).rejects.toBeInstanceOf(ResultTooLarge)
    await writing.execute('DROP TABLE bounded')
    await store.close()
  })

  it('may write nothing', async () => {
    const store = clickhouseStore(asReader())
    await expect(store.execute(`DROP TABLE ${balances.stored}`)).rejects.toMatchObject({
      kind: 'rights',
    })
    await expect(store.execute('CREATE TABLE t (n UInt8) ENGINE = Memory')).rejects.toBeInstanceOf(
      StoreDenied,
    )
    await store.close()
  })
})

describe('a user who may do all', () => {
  it('is left every setting of ours', async () => {
    expect(await changeableSettings({ ...engine, database })).toEqual([
      'readonly',
      'max_threads',
      'output_format_parallel_formatting',
      'log_queries',
      'cancel_http_readonly_queries_on_client_close',
      'max_execution_time',
      'max_memory_usage',
      'use_query_condition_cache',
      'max_block_size',
      'max_result_bytes',
      'max_rows_to_read',
      'max_bytes_to_sort',
      'enable_shared_storage_snapshot_in_query',
      'skip_unavailable_shards',
      'connect_timeout_with_failover_ms',
      'connections_with_failover_max_tries',
      'handshake_timeout_ms',
    ])
  })

  it('may ask for a quorum also where there is one server only', async () => {
    await createDatabase(engine, 'test_quorum')
    const store = clickhouseStore({ ...engine, database: 'test_quorum', isCluster: true })
    await migrate(store)
    expect(await notMigrated(store)).toEqual([])
    await store.execute('DROP DATABASE test_quorum SYNC')
    await store.close()
  })

  it.each([
    ['a wrong password', { password: 'wrong' }],
    ['a name that nobody has', { username: 'nobody' }],
  ])('is denied with %s', async (_, who) => {
    await expect(changeableSettings({ ...engine, database, ...who })).rejects.toMatchObject({
      name: 'StoreDenied',
      kind: 'credentials',
    })
  })

  it('is denied where the server speaks no TLS', async () => {
    const url = engine.url.replace('http:', 'https:')
    await expect(changeableSettings({ ...engine, url, database })).rejects.toMatchObject({
      kind: 'certificate',
    })
  })
})

describe('whose the tables are', () => {
  it('is set by the first, and remains', async () => {
    const first = await claimDeployment(writing, 7)
    expect(await claimDeployment(writing, 7)).toEqual(first)
  })

  it('is one, also where two claim them at once', async () => {
    await writing.execute('TRUNCATE TABLE deployment')
    await Promise.all([claimDeployment(writing, 7), claimDeployment(writing, 7)])
    const [one, other] = await Promise.all([deploymentOf(writing), claimDeployment(writing, 7)])
    expect(one).toEqual(other)
  })

  it('is not another chain', async () => {
    await expect(claimDeployment(writing, 5)).rejects.toThrow(
      'the tables are of chain 7, not of chain 5',
    )
  })
})
