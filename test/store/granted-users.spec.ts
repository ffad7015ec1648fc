import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeableSettings } from '../../libs/adapters/clickhouse/changeable-settings.ts'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { clusterShape } from '../../libs/tables/cluster-shape.ts'
import { claimDeployment, deploymentOf } from '../../libs/tables/deployment.ts'
import { migrate, notMigrated } from '../../libs/tables/migrate.ts'
import { currentDatabase, ownCluster, replicaStates } from '../../libs/tables/replica-states.ts'
import { replicationOf } from '../../libs/tables/replication-of.ts'
import { tableSizes } from '../../libs/tables/table-sizes.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { balances } from '../../libs/tables/tables/balances.ts'
import { replicaCheckOf } from '../../services/api/rows/replica-check.ts'
import { checkedShape } from '../../services/cli/serve/servers/clickhouse-access.ts'
import { type GrantedUser, grantedEngine, itself } from '../support/granted-engine.ts'

// The users of deploy/README.md, with the rights that it grants and no others.

const page = readFileSync(new URL('../../deploy/README.md', import.meta.url), 'utf8')
const [ofOneServer = '', ofReplicas = ''] = page.split('- **ClickHouse replicas**')
const [writer, reader, database] = ['foldscan', 'foldscan_reader', 'foldscan']

const grantsIn = (text: string, user: string): readonly string[] =>
  [...text.matchAll(/^ {6}GRANT (.+) TO ([\w, ]+);$/gm)].flatMap(([, grant = '', to = '']) =>
    to.split(', ').includes(user) ? [grant] : [],
  )

function profileIn(text: string): Pick<GrantedUser, 'profile' | 'changeable'> {
  const [, list = ''] = /CREATE SETTINGS PROFILE foldscan_reader SETTINGS ([^;]+);/.exec(text) ?? []
  const settings = list.split(',').map((one) => one.trim().split(/[ =]+/))
  return {
    profile: Object.fromEntries(settings.map(([name, value]) => [name, value])),
    changeable: settings.flatMap(([name = '', , word]) => (word === undefined ? [] : [name])),
  }
}

const profile = profileIn(ofOneServer)
const clustered = (user: string) => [...grantsIn(ofOneServer, user), ...grantsIn(ofReplicas, user)]
const users: readonly GrantedUser[] = [
  { name: writer, grants: grantsIn(ofOneServer, writer) },
  { name: reader, grants: grantsIn(ofOneServer, reader), ...profile },
  { name: 'clustered_writer', grants: clustered(writer) },
  { name: 'clustered_reader', grants: clustered(reader), ...profile },
]

let engine: Awaited<ReturnType<typeof grantedEngine>>
const opened: Store[] = []

async function storeOf(user: string, within = database): Promise<Store> {
  const address = { ...engine.addressOf(user), database: within }
  const store = clickhouseStore({
    ...address,
    ...(user.endsWith('reader') && { changeableSettings: await changeableSettings(address) }),
  })
  opened.push(store)
  return store
}

beforeAll(async () => {
  engine = await grantedEngine(users)
})
afterAll(async () => {
  for (const store of opened) await store.close()
  await engine?.stop()
})

describe('the writing user of one server', () => {
  it('makes the database and its tables, and claims them', async () => {
    const outside = await storeOf(writer, 'default')
    await outside.execute(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`)
    const store = await storeOf(writer)
    expect(await migrate(store)).toContain('table prices')
    expect(await claimDeployment(store, 7)).toMatchObject({ chainId: 7 })
  })
})

describe.each(['clustered_writer', 'clustered_reader'])('at the start of a service, %s', (user) => {
  it('asks for the shape of the cluster, whatever its profile allows', async () => {
    const address = { ...engine.addressOf(user), database }
    expect(await checkedShape(address, itself)).toMatchObject({ shards: 1 })
  })

  it('may set what the poll of all servers needs', async () => {
    const left = await changeableSettings({ ...engine.addressOf(user), database })
    expect(left).toContain('skip_unavailable_shards')
  })
})

describe('the writing user of a cluster', () => {
  // A server asks for the rights to drop a view and a table before it drops either on all servers.
  it.each(['VIEW', 'TABLE'])('drops a %s', async (kind) => {
    const store = await storeOf('clustered_writer')
    const content = kind === 'VIEW' ? 'AS SELECT 1' : 'ENGINE = Memory AS SELECT 1'
    await store.execute(`CREATE ${kind} dropped_on_all ${content}`)
    await store.execute(`DROP ${kind} dropped_on_all`)
  })
})

describe('the reading user of one server', () => {
  it('reads each table, and what a start asks', async () => {
    const store = await storeOf(reader)
    expect(await notMigrated(store)).toEqual([])
    expect(await deploymentOf(store)).toMatchObject({ chainId: 7 })
    const { signal } = new AbortController()
    const asking = { store, log: silentLog, metrics: startMetrics(), signal }
    expect(await replicaCheckOf({ ...asking, replicaCheck: 'auto' }, () => null)).toBeNull()
    for (const { stored } of allTables) await store.query(`SELECT count() FROM ${stored}`, {})
    const sizes = await tableSizes(store, signal)
    expect(sizes.map(({ table }) => table)).toEqual(allTables.map(({ stored }) => stored))
  })

  it('learns from the first query which right is missing for the states of replicas', async () => {
    const store = await storeOf(reader)
    const { signal } = new AbortController()
    await expect(replicaStates(store, { cluster: '', database, signal })).rejects.toMatchObject({
      kind: 'rights',
      message: expect.stringContaining('system.replicas'),
    })
  })
})

describe.each(['clustered_writer', 'clustered_reader'])('%s', (user) => {
  it('asks for the cluster and the states of its replicas', async () => {
    const store = await storeOf(user)
    const { signal } = new AbortController()
    expect(await clusterShape(await storeOf(user, 'system'), itself)).toMatchObject({ shards: 1 })
    expect(await currentDatabase(store)).toBe(database)
    expect(await ownCluster(store)).toBe('')
    expect(await replicationOf(store)).toBeNull()
    for (const cluster of ['', itself]) {
      expect(await replicaStates(store, { cluster, database, signal })).toEqual([])
    }
  })

  it('reads where the replica that answers is checked by the query', async () => {
    const store = await storeOf(user)
    const replicas = new Map([[balances.stored, ['another server/another table']]])
    const asked = store.query(
      `SELECT position\nFROM ${balances.stored}\nWHERE position > 0`,
      {},
      { replicas },
    )
    await expect(asked).rejects.toMatchObject({ name: 'StoreBehind' })
  })
})
