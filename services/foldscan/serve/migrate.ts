import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { startLogger } from '../../../libs/signals/logger.ts'
import { claimDeployment, type Deployment, deploymentOf } from '../../../libs/tables/deployment.ts'
import { migrate, migrationsOf } from '../../../libs/tables/migrate.ts'
import { onCluster } from '../../../libs/tables/on-cluster.ts'
import { Refusal } from '../refusal.ts'
import { untilOver } from '../until-over.ts'
import { writingAddress } from './clickhouse-address.ts'
import { permitted } from './denied.ts'
import { Health } from './health.ts'
import { untilThere } from './until-there.ts'

const stopTimeoutMs = 8_000

/** `foldscan migrate`: the database and its tables, made or brought up to date; then it is done. */
export async function migrateServer(settings: SettingsOf<'migrate'>): Promise<void> {
  const log = startLogger(settings.logLevel)
  const ending = new AbortController()
  const bed = { log, health: new Health(), signal: ending.signal }
  const address = writingAddress(settings)
  const cluster = settings.clickhouseCluster
  await untilOver({
    log,
    stopTimeoutMs,
    stopping: () => ending.abort(),
    async start(parts) {
      await untilThere(bed, () => permitted(address, () => madeDatabase(address, cluster)))
      const store = clickhouseStore(address)
      parts.add({ name: 'store', stop: () => store.close() })
      const applied = await untilThere(bed, () =>
        permitted(address, () => migrate(store, migrationsOf(), cluster)),
      )
      const { id, chainId } = await untilThere(bed, () =>
        permitted(address, () => whose(store, settings.chainId)),
      )
      const words = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
      const fields = { event: events.service.migrated, applied, deployment: id, chainId }
      log.info(fields, `the tables of chain ${chainId}: ${words}`)
      return 'done'
    },
  })
}

/** Claims the tables for the chain, or tells whose they are. @throws Refusal if nobody's */
async function whose(store: Store, chainId: number | null): Promise<Deployment> {
  if (chainId !== null) return await claimDeployment(store, chainId)
  const deployment = await deploymentOf(store)
  if (deployment !== null) return deployment
  throw new Refusal('The tables belong to no chain yet: say which one with --chain-id.')
}

/** A store can only be opened on a database that exists. */
async function madeDatabase(address: ClickhouseOptions, cluster: string): Promise<void> {
  if (await exists(address)) return
  const outside = clickhouseStore({ ...address, database: 'default' })
  try {
    const statement = `CREATE DATABASE IF NOT EXISTS \`${address.database}\` ENGINE = Atomic`
    await outside.execute(onCluster(statement, cluster))
  } finally {
    await outside.close()
  }
}

async function exists(address: ClickhouseOptions): Promise<boolean> {
  const inside = clickhouseStore(address)
  try {
    await inside.query('SELECT 1', {})
    return true
  } catch (error) {
    if (error instanceof StoreMissing) return false
    throw error
  } finally {
    await inside.close()
  }
}
