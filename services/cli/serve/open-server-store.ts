import { Availability } from '../../../libs/adapters/clickhouse/availability.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { changeableSettings } from '../../../libs/adapters/clickhouse/query-settings.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import { type Deployment, deploymentOf, refuseOtherChain } from '../../../libs/tables/deployment.ts'
import { notApplied } from '../../../libs/tables/migrate.ts'
import { abortableStore } from './abortable.ts'
import { type ClickhouseAddress, withAccessCheck } from './clickhouse-access.ts'
import type { ServiceContext } from './serve.ts'
import { NotReady, waitUntilReady } from './wait-until-ready.ts'

interface OpenStore {
  readonly store: Store
  readonly availability: Availability
  /** Whose the tables are. */
  readonly deployment: Deployment
}

interface OpenStoreOptions {
  readonly address: ClickhouseAddress
  /** The store in use: with a circuit breaker, or only watched. */
  readonly guard: (store: Store, availability: Availability) => Store
}

/**
 * The tables of a server, once they are as this code knows them.
 * @throws if they never will be: wrong credentials, a newer version, another chain
 */
export async function openServerStore(
  context: ServiceContext,
  chainId: number | null,
  { address, guard }: OpenStoreOptions,
): Promise<OpenStore> {
  const servingNames = await waitUntilReady(context, () => leftTo(address))
  const own = clickhouseStore({ ...address, changeableSettings: servingNames })
  context.components.add({ name: 'store', stop: () => own.close() })
  const { log, metrics } = context
  const availability = new Availability({ store: own, url: address.url, log, metrics })
  context.components.add({
    name: 'availability of the store',
    stop: async () => availability.stop(),
  })
  const store = abortableStore(guard(own, availability), context.signal)
  const deployment = await waitUntilReady(context, () =>
    withAccessCheck(address, () => claimedTables(store, address.database)),
  )
  if (chainId !== null) refuseOtherChain(deployment, chainId)
  return { store, availability, deployment }
}

/**
 * The first query: without the database there is nothing, and a read-only user may not even see it.
 */
const leftTo = (address: ClickhouseAddress): Promise<string[]> =>
  withAccessCheck(address, async () => {
    try {
      return await changeableSettings(address)
    } catch (error) {
      throw error instanceof StoreMissing ? noTables(address.database) : error
    }
  })

const first = 'run `foldscan migrate` first'
const noTables = (database: string) =>
  new NotReady('no-tables', `database ${database} has no tables yet: ${first}`)

/** @throws NotReady while `foldscan migrate` has something to do */
async function claimedTables(store: Store, database: string): Promise<Deployment> {
  try {
    const missing = await notApplied(store)
    if (missing.length > 0) {
      const sentence = `the tables lack ${missing.join(', ')}: ${first}`
      throw new NotReady('old-tables', sentence)
    }
    const deployment = await deploymentOf(store)
    if (deployment !== null) return deployment
    throw new NotReady('no-tables', `the tables of database ${database} are not claimed: ${first}`)
  } catch (error) {
    if (!(error instanceof StoreMissing)) throw error
    throw noTables(database)
  }
}
