import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'

/** For statements that sort all rows of a subject: without the limits of pages. */
export const naiveStore = ({ url, username, password }: EngineAddress, database: string): Store =>
  clickhouseStore({
    ...{ url, username, password, database },
    queryTimeoutMs: 300_000,
    queryMemoryMaxBytes: 4 * 1024 ** 3,
  })
