import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clickhouseStore } from '../libs/adapters/clickhouse/clickhouse-store.ts'
import { startEngine } from '../libs/adapters/clickhouse/embedded-engine.ts'
import type { EngineAddress } from '../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../libs/ports/store.ts'
import { silentLog } from '../libs/signals/log.ts'
import { migrate } from '../libs/tables/migrate.ts'

/** Tables of a benchmark are merged by one statement. */
const insertTimeoutMs = 15 * 60_000

/** A folder, an engine, and databases for one benchmark; all of it goes with `end`. */
export interface Workspace {
  readonly address: EngineAddress
  /** Of the engine. */
  readonly pid: number
  folder(name: string): Promise<string>
  /** A database of that name with all tables, empty. */
  store(database: string): Promise<Store>
  /** Of the engine. */
  version(): Promise<string>
  end(): Promise<void>
}

export async function openWorkspace(): Promise<Workspace> {
  const root = await mkdtemp(join(tmpdir(), 'foldscan-bench-'))
  const engine = await startEngine({ folder: join(root, 'engine'), log: silentLog })
  const { url, username, password } = engine
  const stores: Store[] = []
  const open = (database: string) => {
    const store = clickhouseStore({ url, username, password, database, insertTimeoutMs })
    stores.push(store)
    return store
  }
  return {
    address: { url, username, password },
    pid: engine.pid,
    async folder(name) {
      await mkdir(join(root, name))
      return join(root, name)
    },
    async store(database) {
      await open('default').execute(`CREATE DATABASE ${database} ENGINE = Atomic`)
      const store = open(database)
      await migrate(store)
      return store
    },
    version: async () => await versionOf(open('default')),
    async end() {
      for (const store of stores) await store.close()
      await engine.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Of the server that answers. */
export async function versionOf(store: Store): Promise<string> {
  // One string of RowBinary: its length, which is below 128, and its bytes.
  return (await store.query('SELECT version()', {})).subarray(1).toString()
}
