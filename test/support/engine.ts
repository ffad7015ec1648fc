import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Engine, startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import {
  createDatabase,
  type EngineAddress,
  queryEngine,
} from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { migrate } from '../../libs/tables/migrate.ts'

export interface TestStore {
  /** On a database of its own, with all migrations. */
  readonly store: Store
  readonly address: EngineAddress
  readonly database: string
  /** Closes the store and drops its database. */
  drop(): Promise<void>
}

let shared: Promise<Engine> | null = null
let databases = 0

/** A fresh database on the engine of this test file. */
export async function testStore(): Promise<TestStore> {
  shared ??= testEngine()
  const address = await shared
  databases += 1
  const database = `test_${process.pid}_${databases}`
  await createDatabase(address, database)
  const store = clickhouseStore({ ...address, database })
  await migrate(store)
  const drop = async () => {
    await store.close()
    await dropTestDatabase(address, database)
  }
  return { store, address, database, drop }
}

/** Nothing but what tests made may be destroyed by tests. */
export async function dropTestDatabase(address: EngineAddress, database: string): Promise<void> {
  if (!/^test_\d+_\d+$/.test(database)) throw new Error(`not a test database: ${database}`)
  await queryEngine(address, `DROP DATABASE IF EXISTS ${database} SYNC`)
}

/** An engine on a folder of its own; both go at the end of the test file. */
export async function testEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-engine-'))
  const engine = await startEngine({ folder, log: silentLog })
  started.push({ engine, folder })
  return engine
}

const started: { engine: Engine; folder: string }[] = []

afterAll(async () => {
  for (const { engine, folder } of started) {
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
