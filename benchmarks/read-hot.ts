import { benchmark } from './benchmark.ts'
import {
  browser,
  compare,
  type Kind,
  kindOf,
  recordAgain,
  startServer,
  targetsOf,
  writeResponses,
} from './read/beside-bare.ts'
import type { ForkedServer } from './read/forked-server.ts'
import { foldMainnet } from './read/mainnet-tables.ts'
import type { Figure } from './report/result.ts'

export const readHot = benchmark({
  name: 'read-hot',
  about: 'unchanged pages of all endpoints, compared with the bare HTTP library',
  method:
    'A process of the API with pages of twelve real blocks, and a process of uWebSockets.js that ' +
    'sends the same bytes and headers from a map by raw target, both on one core; wrk with one ' +
    'thread and keep-alive connections on the other. They are measured in turn, and ratios taken ' +
    'per round. Status, headers and body of every response are compared first, and the first pages of ' +
    'six lists with statements that sort all rows of their subjects.',
  limits:
    'No page changes meanwhile. wrk and a script of many targets cost about as much processor ' +
    'time as a response: where the rate is near the ceiling of wrk (what its core allows by its ' +
    'processor time for a request), rates say nothing and processor time counts.',
  seed: null,
  needs: 'engine',
  sizes: {
    rounds: { about: 'turns of each server', full: 5, quick: 1 },
    seconds: { about: 'seconds of a turn', full: 3, quick: 1 },
    clients: { about: 'keep-alive connections', full: 64, quick: 8 },
  },
  async run(sizes, context) {
    const workspace = await context.workspace()
    const store = await workspace.store('hot')
    const subjects = await foldMainnet(store)
    context.progress('blocks folded')
    const { url, username, password } = workspace.address
    const servers: ForkedServer[] = []
    const start = async (name: string, args: readonly string[]) => {
      const server = await startServer(name, args)
      servers.push(server)
      return server
    }
    try {
      const api = await start('./api-process.ts', [url, username, password, 'hot'])
      const targets = await targetsOf(subjects, { store, port: api.port })
      const folder = await workspace.folder('hot')
      const figures: Figure[] = []
      for (const kind of await kindsOf(api.port, targets)) {
        const bare = await start('./bare-server.ts', [await writeResponses(folder, kind)])
        context.progress(kind.name)
        figures.push(
          ...(await compare({ folder, kind, api, bare, sizes, part: 'bare uWebSockets.js' })),
        )
      }
      return figures
    } finally {
      for (const server of servers) await server.end()
    }
  },
})

async function kindsOf(port: number, targets: readonly string[]): Promise<Kind[]> {
  const record = (headersOf: (target: string) => Readonly<Record<string, string>>) =>
    recordAgain(port, targets, headersOf)
  const gzip = { ...browser, 'accept-encoding': 'gzip, deflate, br' }
  const compressed = await record(() => gzip)
  const tags = new Map(
    compressed.map(({ target, headers }) => [target, new Map(headers).get('etag') ?? '']),
  )
  const conditional = (target: string) => ({ ...gzip, 'if-none-match': tags.get(target) ?? '' })
  const token = targets.filter((target) => /\/tokens\/0x\w+$/.test(target)).slice(0, 1)
  const kind = (
    name: string,
    of: readonly string[],
    headersOf: (target: string) => Readonly<Record<string, string>>,
  ) => kindOf({ name, port }, of, headersOf)
  return [
    await kind('ten endpoints', targets, () => browser),
    await kind('ten endpoints, gzip', targets, () => gzip),
    await kind('ten endpoints, 304', targets, conditional),
    await kind('one token', token, () => browser),
  ]
}
