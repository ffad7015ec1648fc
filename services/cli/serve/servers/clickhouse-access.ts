import { Availability } from '../../../../libs/adapters/clickhouse/availability.ts'
import { changeableSettings } from '../../../../libs/adapters/clickhouse/changeable-settings.ts'
import {
  type ClickhouseOptions,
  fixedBounds,
} from '../../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { clickhouseStore } from '../../../../libs/adapters/clickhouse/clickhouse-store.ts'
import {
  measuredStore,
  type SentStatements,
} from '../../../../libs/adapters/clickhouse/measured-store.ts'
import { parsedUrl } from '../../../../libs/chain/parsed-url.ts'
import { type Store, StoreDenied, StoreMissing } from '../../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../../libs/settings/settings.ts'
import { events } from '../../../../libs/signals/events.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import {
  type ClusterShape,
  clusterShape,
  refuseShards,
} from '../../../../libs/tables/cluster-shape.ts'
import {
  type Deployment,
  deploymentOf,
  refuseOtherChain,
} from '../../../../libs/tables/deployment.ts'
import { notMigrated } from '../../../../libs/tables/migrate.ts'
import type { ServiceContext } from '../serve.ts'
import { abortableStore, NotReady, waitUntilReady } from '../wait-until-ready.ts'
import { warnIfUntested } from '../warn-if-untested.ts'
import { readCertificate } from './certificate-file.ts'

type Reading = SettingsOf<'ingestor' | 'repair' | 'api' | 'versions' | 'lag' | 'compare'>
type Writing = SettingsOf<'projector' | 'migrate' | 'verify' | 'drop'>

/** For those who write. */
export const writingAddress = (settings: Writing): ClickhouseAddress => ({
  ...shared(settings),
  userSetting: 'clickhouse-user',
  username: settings.clickhouseUser,
  password: settings.clickhousePassword ?? '',
  insertTimeoutMs: settings.clickhouseInsertTimeoutMs,
  isCluster: settings.clickhouseCluster !== '',
})

/** For those who only read. */
export const readingAddress = (settings: Reading): ClickhouseAddress => ({
  ...shared(settings),
  userSetting: 'clickhouse-read-user',
  username: settings.clickhouseReadUser,
  password: settings.clickhouseReadPassword ?? '',
})

function shared(settings: Reading | Writing) {
  const { clickhouseUrl: url, clickhouseDatabase: database } = settings
  const authority = readCertificate(settings.clickhouseCaFile, '--clickhouse-ca-file')
  return {
    url: bare(url),
    database,
    queryTimeoutMs: settings.clickhouseQueryTimeoutMs,
    ...(authority === null ? {} : { authority }),
  }
}

/**
 * A user in the URL would appear wherever the URL is logged; @clickhouse/client would take a path
 * for the database, and a query for settings.
 */
function bare(text: string): string {
  const url = parsedUrl(text)
  const isBare =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.username + url.password + url.search + url.hash === ''
  if (isBare) return text
  throw new StartupError(
    'The address of ClickHouse is not of the form http://host:port or https://host:port; ' +
      'user and password have settings of their own.',
  )
}

/** A server as this process reaches it, and the settings that people would have to change. */
export interface ClickhouseAddress extends ClickhouseOptions {
  readonly userSetting: 'clickhouse-user' | 'clickhouse-read-user'
}

/** @throws StartupError with what to do if the server denies access */
export async function withAccessCheck<T>(
  address: ClickhouseAddress,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    throw error instanceof StoreDenied ? accessError(error, address) : error
  }
}

export function accessError(error: StoreDenied, address: ClickhouseAddress): StartupError {
  const { kind } = error
  const message = error.cause instanceof Error ? error.cause.message : error.message
  const { url, username, userSetting } = address
  const variable = `FOLDSCAN_${userSetting.replaceAll('-', '_').toUpperCase()}`
  const password = variable.replace(/USER$/, 'PASSWORD')
  switch (kind) {
    case 'credentials':
      return new StartupError(
        `ClickHouse at ${url} rejects the user '${username}': ` +
          `check ${variable} and ${password} (or ${password}_FILE).`,
      )
    case 'rights':
      return new StartupError(
        `The user '${username}' of ClickHouse at ${url} may not do what is needed: ` +
          `grant it, or set another user with ${variable}. The server returned: ${ended(message)}`,
      )
    case 'settings':
      return new StartupError(ended(message))
    case 'certificate':
      return new StartupError(
        `ClickHouse at ${url} is not trusted: set the CA of its certificate with ` +
          `FOLDSCAN_CLICKHOUSE_CA_FILE, or start the URL with http:// if it does not use TLS. ` +
          `The reason: ${ended(message)}`,
      )
  }
}

const ended = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 300)
  return /[.!?]$/.test(line) ? line : `${line}.`
}

/**
 * Queries the tables once, as a user who may only read them.
 * @throws StartupError if access is denied, StoreMissing if there are no tables, StoreUnavailable
 */
export const withTables = <T>(
  address: ClickhouseAddress,
  query: (store: Store) => Promise<T>,
): Promise<T> =>
  withAccessCheck(address, async () => {
    const servingNames = await changeableSettings(address)
    const store = clickhouseStore({ ...address, changeableSettings: servingNames })
    return query(store).finally(() => store.close())
  })

interface OpenStore {
  readonly store: Store
  readonly availability: Availability
  /** Whose the tables are. */
  readonly deployment: Deployment
}

interface OpenStoreOptions {
  readonly address: ClickhouseAddress
  /** Name of the cluster that has the tables; empty without one. */
  readonly cluster: string
  readonly sent: SentStatements
  /** The store in use: with a circuit breaker, or only watched. */
  readonly guard: (store: Store, availability: Availability) => Store
}

/**
 * The tables of a server, once they are as this code knows them.
 * @throws if they never will be: wrong credentials, a newer version, another chain, shards
 */
export async function openServerStore(
  context: ServiceContext,
  chainId: number | null,
  { address, cluster, sent, guard }: OpenStoreOptions,
): Promise<OpenStore> {
  const shape = () => withAccessCheck(address, () => checkedShape(address, cluster))
  await waitUntilReady(context, shape)
  const servingNames = await waitUntilReady(context, () => leftTo(address))
  const fixed = fixedBounds(servingNames)
  if (address.userSetting === 'clickhouse-read-user' && fixed.length > 0) {
    context.log.warn(
      { event: events.clickhouse.rowBoundRefused, user: address.username, settings: fixed },
      'first pages of different subjects share no query: the profile of the reading user does not ' +
        `let it change ${fixed.join(' and ')} (deploy/README.md)`,
    )
  }
  const form = { ...address, changeableSettings: servingNames }
  const own = measuredStore(clickhouseStore(form), context.metrics, sent)
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
  await warnIfUntested(context.log, store)
  return { store, availability, deployment }
}

/**
 * The shape of the cluster that has the tables, before anything else is read: servers of another
 * shard have other rows. Null without a cluster.
 * @throws UnusableCluster if it has shards, or is unknown
 */
export async function checkedShape(
  address: ClickhouseOptions,
  cluster: string,
): Promise<ClusterShape | null> {
  if (cluster === '') return null
  // The database of the tables may not exist yet, and the profile may allow no setting of ours.
  const outside = clickhouseStore({ ...address, database: 'system', changeableSettings: [] })
  try {
    const shape = await clusterShape(outside, cluster)
    refuseShards(cluster, shape)
    return shape
  } finally {
    await outside.close()
  }
}

/**
 * The first query of the tables: without the database there is nothing, and a read-only user may
 * not even see it.
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
    const missing = await notMigrated(store)
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
