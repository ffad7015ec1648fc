import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { settingsLeftToUs } from '../../../libs/adapters/clickhouse/serving-settings.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import { type Deployment, deploymentOf, refuseOtherChain } from '../../../libs/tables/deployment.ts'
import { notApplied } from '../../../libs/tables/migrate.ts'
import type { Bed } from './serve.ts'
import { NotYet, untilThere } from './until-there.ts'

export interface OpenStore {
  readonly store: Store
  /** Whose the tables are. */
  readonly deployment: Deployment
}

/**
 * The tables of a server, once they are as this code knows them.
 * @throws if they never will be: wrong credentials, a newer version, another chain
 */
export async function openServerStore(
  bed: Bed,
  address: ClickhouseOptions,
  chainId: number | null,
): Promise<OpenStore> {
  const servingNames = await untilThere(bed, () => settingsLeftToUs(address))
  const store = clickhouseStore({ ...address, servingNames })
  bed.parts.add({ name: 'store', stop: () => store.close() })
  const deployment = await untilThere(bed, () => claimedTables(store, address.database))
  if (chainId !== null) refuseOtherChain(deployment, chainId)
  return { store, deployment }
}

/** @throws NotYet while `foldscan migrate` has something to do */
async function claimedTables(store: Store, database: string): Promise<Deployment> {
  const first = 'run `foldscan migrate` first'
  try {
    const missing = await notApplied(store)
    if (missing.length > 0) {
      const sentence = `the tables lack ${missing.join(', ')}: ${first}`
      throw new NotYet('old-tables', sentence)
    }
    const deployment = await deploymentOf(store)
    if (deployment !== null) return deployment
    throw new NotYet('no-tables', `the tables of database ${database} are not claimed: ${first}`)
  } catch (error) {
    if (!(error instanceof StoreMissing)) throw error
    throw new NotYet('no-tables', `database ${database} has no tables yet: ${first}`)
  }
}
