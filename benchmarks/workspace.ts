import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { clickhouseStore } from '../libs/adapters/clickhouse/clickhouse-store.ts'
import { startEngine } from '../libs/adapters/clickhouse/embedded-engine.ts'
import type { EngineAddress } from '../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../libs/ports/store.ts'
import { silentLog } from '../libs/signals/log.ts'
import { migrate } from '../libs/tables/migrate.ts'

/** A folder, an engine, and databases for one benchmark; all of it goes with `end`. */
export interface Workspace {
  readonly address: EngineAddress
  folder(name: string): Promise<string>
  /** A database of that name with all tables, empty. */
  store(database: string): Promise<Store>
  end(): Promise<void>
}

export async function openWorkspace(): Promise<Workspace> {
  const root = await mkdtemp(join(tmpdir(), 'foldscan-bench-'))
  const engine = await startEngine({ folder: join(root, 'engine'), log: silentLog })
  const { url, username, password } = engine
  const stores: Store[] = []
  const open = (database: string) => {
    const store = clickhouseStore({ url, username, password, database })
    stores.push(store)
    return store
  }
  return {
    address: { url, username, password },
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
    async end() {
      for (const store of stores) await store.close()
      await engine.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Where a figure was measured; it means little elsewhere. */
export const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ` +
  `${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`
