import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { stopsWithOneServer } from '../../../libs/tables/cluster-shape.ts'
import { claimDeployment, deploymentOf, refuseOtherChain } from '../../../libs/tables/deployment.ts'
import { migrate, onCluster } from '../../../libs/tables/migrate.ts'
import type { Run } from '../command.ts'
import { print, runTask } from '../operate/run-task.ts'
import { Health } from './health.ts'
import { checkedShape, withAccessCheck, writingAddress } from './servers/clickhouse-access.ts'
import { waitUntilReady } from './wait-until-ready.ts'

/** `foldscan migrate`: creates the database and its tables, or updates them. */
export const migrateServer: Run<'migrate'> = (settings, { log }) =>
  runTask(log, async ({ components, signal }) => {
    const address = writingAddress(settings)
    const cluster = settings.clickhouseCluster
    const waiting = { log, health: new Health(), signal }
    const ready = <T>(attempt: () => Promise<T>) =>
      waitUntilReady(waiting, () => withAccessCheck(address, attempt))
    await ready(() => checkCluster(address, cluster, log))
    await ready(() => refuseChain(address, settings.chainId))
    await ready(() => createDatabase(address, cluster))
    const store = clickhouseStore(address)
    components.add({ name: 'store', stop: () => store.close() })
    const made = await ready(() => migrate(store, { cluster }))
    const { deployment, isClaimed } = await ready(() => claim(store, settings.chainId))
    const migrated = { made, chainId: deployment.chainId, deployment: deployment.id, isClaimed }
    await print(settings.json ? JSON.stringify(migrated) : textOf(migrated))
    return 0
  })

interface Migrated {
  /** Tables, columns, settings and views. */
  readonly made: readonly string[]
  readonly chainId: number
  /** Whether the tables belonged to no chain before. */
  readonly isClaimed: boolean
}

const textOf = ({ made, chainId, isClaimed }: Migrated): string =>
  [
    made.length === 0 ? 'nothing to make' : `made ${made.join(', ')}`,
    isClaimed ? `claimed the tables for chain ${chainId}` : `the tables are of chain ${chainId}`,
  ].join('\n')

/** Before anything is changed. @throws UnusableCluster */
async function checkCluster(address: ClickhouseOptions, cluster: string, log: Log): Promise<void> {
  const shape = await checkedShape(address, cluster)
  if (shape === null || !stopsWithOneServer(shape)) return
  log.warn(
    { event: events.clickhouse.twoReplicas, cluster, runbook: runbooks.quorumLost },
    `the ClickHouse cluster '${cluster}' has two servers, and inserts wait for a majority, which ` +
      'is both: losing either stops indexing; use three',
  )
}

async function claim(store: Store, chainId: number | null) {
  const before = await deploymentOf(store)
  const isClaimed = before === null
  if (before !== null && chainId === null) return { deployment: before, isClaimed }
  refuseUnnamed(chainId)
  return { deployment: await claimDeployment(store, chainId), isClaimed }
}

/**
 * Before anything is changed.
 * @throws StartupError if the tables belong to no chain and none is given
 * @throws OtherChain if they belong to another one
 */
async function refuseChain(address: ClickhouseOptions, chainId: number | null): Promise<void> {
  const store = clickhouseStore(address)
  try {
    const deployment = await deploymentOf(store)
    if (deployment === null) refuseUnnamed(chainId)
    else if (chainId !== null) refuseOtherChain(deployment, chainId)
  } catch (error) {
    if (!(error instanceof StoreMissing)) throw error
    refuseUnnamed(chainId)
  } finally {
    await store.close()
  }
}

function refuseUnnamed(chainId: number | null): asserts chainId is number {
  if (chainId !== null) return
  throw new StartupError('The tables belong to no chain yet: name it with --chain-id.')
}

/** A store can only be opened on a database that exists. */
async function createDatabase(address: ClickhouseOptions, cluster: string): Promise<void> {
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
