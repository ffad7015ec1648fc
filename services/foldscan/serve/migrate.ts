import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { StoreMissing } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { startLogger } from '../../../libs/signals/logger.ts'
import { claimDeployment, type Deployment, deploymentOf } from '../../../libs/tables/deployment.ts'
import { migrate } from '../../../libs/tables/migrate.ts'
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
  await untilOver({
    log,
    stopTimeoutMs,
    stopping: () => ending.abort(),
    async start(parts) {
      await untilThere(bed, () => permitted(address, () => madeDatabase(address)))
      const store = clickhouseStore(address)
      parts.add({ name: 'store', stop: () => store.close() })
      const applied = await untilThere(bed, () => permitted(address, () => migrate(store)))
      const deployment = await claimed(
        () => deploymentOf(store),
        settings.chainId,
        (chainId) => claimDeployment(store, chainId),
      )
      const { id, chainId } = deployment
      const words = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
      const fields = { event: events.service.migrated, applied, deployment: id, chainId }
      log.info(fields, `the tables of chain ${chainId}: ${words}`)
      return 'done'
    },
  })
}

async function claimed(
  standing: () => Promise<Deployment | null>,
  chainId: number | null,
  claim: (chainId: number) => Promise<Deployment>,
): Promise<Deployment> {
  if (chainId !== null) return await claim(chainId)
  const deployment = await standing()
  if (deployment !== null) return deployment
  throw new Refusal('The tables belong to no chain yet: say which one with --chain-id.')
}

/** A store can only be opened on a database that exists. */
async function madeDatabase(address: ClickhouseOptions): Promise<void> {
  if (await exists(address)) return
  const outside = clickhouseStore({ ...address, database: 'default' })
  try {
    await outside.execute(`CREATE DATABASE IF NOT EXISTS \`${address.database}\` ENGINE = Atomic`)
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
