import { inject } from 'vitest'
import type { StackAddresses } from '../../deploy/stack/environment.ts'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { createDatabase } from '../../libs/adapters/clickhouse/query-engine.ts'
import type { Store } from '../../libs/ports/store.ts'
import { migrate } from '../../libs/tables/migrate.ts'
import { dropTestDatabase } from './engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null where there is none; global-setup.ts has printed why. */
    cluster: StackAddresses | null
  }
}

/**
 * The servers that all specs of the project `cluster` share (`test/cluster` and every
 * `*.cluster.spec.ts`), so nobody may hurt them: for that, `startTestStack` gives others.
 *
 *     describe.skipIf(noCluster)('on Kafka', () => { ... cluster().kafka.brokers ... })
 */
export function cluster(): StackAddresses {
  const servers = inject('cluster')
  if (!servers) throw new Error('there is no cluster: skip these tests where noCluster is true')
  return servers
}

/** Not `undefined`: then a spec asks for the cluster outside of its project, which is a mistake. */
export const noCluster: boolean = inject('cluster') === null

/** Names on the shared servers that nobody else has. */
export interface OwnPlace {
  /** Before each topic and each group. */
  readonly topicPrefix: string
  readonly redisPrefix: string
  /** Not made yet; see `ownStore`. */
  readonly database: string
}

let places = 0

export function ownPlace(): OwnPlace {
  places += 1
  const database = `test_${process.pid}_${places}`
  return { topicPrefix: `${database}.`, redisPrefix: `${database}:`, database }
}

/** A database of that name with all tables, and a store on it. `drop` ends both. */
export async function ownStore({
  database,
}: OwnPlace): Promise<{ store: Store; drop(): Promise<void> }> {
  const { clickhouse } = cluster()
  await createDatabase(clickhouse, database)
  const store = clickhouseStore({ ...clickhouse, database })
  await migrate(store)
  const drop = async () => {
    await store.close()
    await dropTestDatabase(clickhouse, database)
  }
  return { store, drop }
}
