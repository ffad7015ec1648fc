import { startRedis } from '../deploy/stack/redis.ts'
import type { Store } from '../libs/ports/store.ts'
import { benchmark } from './benchmark.ts'
import {
  browser,
  compare,
  kindOf,
  startServer,
  targetsOf,
  writeResponses,
} from './read/beside-bare.ts'
import type { ForkedServer } from './read/forked-server.ts'
import { foldMainnet } from './read/mainnet-tables.ts'
import { recordResponses } from './read/recorded-response.ts'
import type { Figure } from './report/result.ts'

/** No page fits: each one comes from Redis. */
const pageCacheBytesMax = '1'
const chainId = '1'

export const readWarm = benchmark({
  name: 'read-warm',
  about: 'pages of all endpoints from Redis, compared with the bare HTTP and Redis libraries',
  method:
    'A process of the API that caches no page itself, with pages of twelve real blocks in Redis, ' +
    'and a process that reads the same bytes by raw target with ioredis and sends them with ' +
    'uWebSockets.js, both on one core; Redis and wrk with one thread and keep-alive connections on ' +
    'the other. They are measured in turn, and ratios taken per round. Status, headers and body of every ' +
    'response are compared first, and the first pages of six lists with statements that sort all ' +
    'rows of their subjects.',
  limits:
    'Redis and the load generator share a core, so rates say nothing about either of them. Both ' +
    'servers read from one Redis on the same machine: its distance costs time, not processor time.',
  seed: null,
  needs: 'engine',
  sizes: {
    rounds: { about: 'turns of each server', full: 5, quick: 1 },
    seconds: { about: 'seconds of a turn', full: 3, quick: 1 },
    clients: { about: 'keep-alive connections', full: 64, quick: 8 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('warm')
    const subjects = await foldMainnet(store)
    const folder = await workspace.folder('warm')
    const redis = await startRedis({ folder: await workspace.folder('redis') })
    const redisUrl = redis.address.url
    context.progress('blocks folded')
    const { url, username, password } = workspace.address
    const servers: ForkedServer[] = []
    const start = async (script: string, args: readonly string[]) => {
      const server = await startServer(script, args)
      servers.push(server)
      return server
    }
    try {
      const tables = [url, username, password, 'warm', chainId]
      const api = await start('./api-process.ts', [...tables, pageCacheBytesMax, redisUrl])
      const targets = await targetsOf(subjects, { store, port: api.port })
      const token = targets.filter((target) => /\/tokens\/0x\w+$/.test(target)).slice(0, 1)
      const figures: Figure[] = []
      for (const [name, of] of [
        ['ten endpoints', targets],
        ['one token', token],
      ] as const) {
        const kind = await kindOf({ name, port: api.port }, of, () => browser)
        await expectNoQuery(store, () => recordResponses(api.port, of, () => browser))
        const file = await writeResponses(folder, kind)
        const bare = await start('./bare-redis-server.ts', [file, redisUrl])
        context.progress(name)
        const part = 'bare uWebSockets.js with ioredis'
        figures.push(...(await compare({ folder, kind, api, bare, sizes, part })))
      }
      return figures
    } finally {
      for (const server of servers) await server.end()
      await redis.stop()
    }
  },
})

/** @throws if an answer is made from the tables */
async function expectNoQuery(store: Store, requests: () => Promise<unknown>): Promise<void> {
  const counted = async () => {
    const rows = await store.query(
      "SELECT value FROM system.events WHERE event = 'SelectQuery'",
      {},
    )
    return Number(rows.readBigUInt64LE())
  }
  const before = await counted()
  await requests()
  const queries = (await counted()) - before
  // One of them counts.
  if (queries > 1) throw new Error(`${queries - 1} queries for pages that Redis contains`)
}
