import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import { startRedis } from '../../deploy/stack/redis.ts'
import { noCluster } from './cluster.ts'

/** A Redis that one spec file may pause, kill and fill; each member from `beforeAll` on. */
export interface OwnRedis {
  readonly server: Awaited<ReturnType<typeof startRedis>>
  readonly url: string
  /** A plain client of it. */
  readonly direct: Redis
  /** The same server by the port of a proxy before it. */
  readonly through: (proxy: { readonly port: number }) => string
}

/** Starts it before the tests of the file that calls this, and stops it after them. */
export function ownRedis(): OwnRedis {
  let started: OwnRedis | null = null
  let folder = ''
  const own = () => {
    if (started === null)
      throw new Error('it is started before the tests, where there is a cluster')
    return started
  }
  beforeAll(async () => {
    if (noCluster) return
    folder = await mkdtemp(join(tmpdir(), 'foldscan-redis-'))
    const server = await startRedis({ folder })
    const { url } = server.address
    const direct = new Redis(url)
    direct.on('error', () => {})
    const through = ({ port }: { readonly port: number }) => url.replace(/:\d+$/, `:${port}`)
    started = { server, url, direct, through }
  })
  afterAll(async () => {
    if (started === null) return
    started.direct.disconnect()
    await started.server.stop()
    await rm(folder, { recursive: true })
  })
  return {
    get server() {
      return own().server
    },
    get url() {
      return own().url
    },
    get direct() {
      return own().direct
    },
    get through() {
      return own().through
    },
  }
}
