import { z } from 'zod'
import type { HttpHandler } from '../libs/ports/http.ts'
import { memoryEventLog } from '../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../libs/signals/log.ts'
import { startMetrics } from '../libs/signals/metrics.ts'
import { readableName } from '../libs/tables/declare/ddl.ts'
import { startApi } from '../services/api/api.ts'
import { benchmark } from './benchmark.ts'
import { busy, fillBusyAddress, rowsPerBlock } from './busy-address.ts'
import { QueryWaves, queryAgain } from './query-waves.ts'
import { assertFirstPage, checkedLists, logKey } from './read/naive-first-page.ts'
import { naiveStore } from './read/naive-store.ts'
import { type Figure, figureOf } from './report/result.ts'

/** Every page is made anew: what is measured is the way to the tables and back. */
const limits = { pageCacheBytesMax: 1 }

/** One of so many pages of a list is compared with a naive statement, at least three. */
const checkedShare = 100

interface List {
  readonly name: string
  readonly path: string
  /** The cursor of a page that begins below block `block` of `blocks`. */
  readonly cursor: (block: number, blocks: number) => string
  /** A statement with `{subject:String}` for the keys of that page: it sorts all rows. */
  readonly keys: (block: number, blocks: number) => string
  readonly keyOf: (item: unknown) => string
}

const byBlock = (block: number) => `block_number=${block}&index=0`
const valueAt = (block: number, blocks: number) => (2n ** 64n * BigInt(block)) / BigInt(blocks)
const all = (table: string, column: string) =>
  `${table} FINAL WHERE ${column} = unhex(substring({subject:String}, 3))`
const hashText = `'0x' || lower(hex(hash))`
const logText = `toString(blockNumber) || ':' || toString(logIndex)`
const newestLogs = 'ORDER BY blockNumber DESC, logIndex DESC LIMIT 50'
const below = 'AND blockNumber <'

const lists: readonly List[] = [
  {
    name: 'transactions',
    path: `addresses/0x${busy}/transactions`,
    cursor: byBlock,
    keys: (block) =>
      `SELECT ${hashText} FROM ${all('transactions_by_address', 'address')} ${below} ${block}
       ORDER BY blockNumber DESC, index DESC LIMIT 50`,
    keyOf: checkedLists.transactionsOfAddress.keyOf,
  },
  {
    name: 'transactions by value',
    path: `addresses/0x${busy}/transactions`,
    cursor: (block, blocks) =>
      `sort=value&order=desc&value=${valueAt(block, blocks)}&${byBlock(block)}`,
    keys: (block, blocks) =>
      `SELECT ${hashText} FROM ${all(readableName('transactions_by_address'), 'address').replace(' FINAL', '')}
         AND (value, blockNumber, index) < (toUInt256('${valueAt(block, blocks)}'), ${block}, 0)
       ORDER BY value DESC, blockNumber DESC, index DESC LIMIT 50 SETTINGS final = 1`,
    keyOf: checkedLists.transactionsOfAddress.keyOf,
  },
  {
    name: 'logs',
    path: `addresses/0x${busy}/logs`,
    cursor: byBlock,
    keys: (block) =>
      `SELECT ${logText} FROM ${all('logs_by_address', 'address')} ${below} ${block} ${newestLogs}`,
    keyOf: logKey,
  },
  {
    name: 'token transfers',
    path: `tokens/0x${busy}/transfers`,
    cursor: byBlock,
    keys: (block) =>
      `SELECT ${logText} FROM ${all('transfers_by_token', 'token')} ${below} ${block} ${newestLogs}`,
    keyOf: checkedLists.transfersOfToken.keyOf,
  },
]

interface Measured {
  readonly pageMs: number
  /** The statements that fetch the list's own rows. */
  readonly listMs: number
  /** All statements of the page. */
  readonly allMs: number
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const pageBody = z.object({ items: z.array(z.object({ block_number: z.int() })) })

/** @throws unless it is full, and begins below the block of its cursor in the order of its list */
async function page(handler: HttpHandler, target: string, block: number): Promise<Buffer> {
  const [path = '', query = ''] = target.split('?')
  const { status, body } = await handler({
    method: 'GET',
    path: `/api/v2/${path}`,
    query,
    headers: {},
    client: '127.0.0.1',
  })
  if (status !== 200) throw new Error(`${target}: status ${status}`)
  const numbers = pageBody.parse(JSON.parse(body.toString())).items.map((one) => one.block_number)
  if (numbers.length !== 50) throw new Error(`${target}: ${numbers.length} items, not 50`)
  const first = numbers[0] ?? 0
  const isOrdered = numbers.every((number, at) => number <= (numbers[at - 1] ?? number))
  if (query.startsWith('sort=') || (isOrdered && first === block - 1)) return Buffer.from(body)
  throw new Error(`${target}: begins with block ${first}, ${isOrdered ? '' : 'not '}in order`)
}

export const pages = benchmark({
  name: 'pages',
  about: 'pages of a busy address at every depth, compared with the raw statements that they need',
  method:
    'One process, no cache of pages, one request at a time through the handler of the API. Each ' +
    'page is followed by its own statements alone: those of the list, then all of them. A page ' +
    'is checked to be full and in order, and the list to go on below the cursor; three pages of ' +
    'each list are compared with a statement that sorts all rows of the address.',
  limits: 'Nothing is concurrent, and the rows lie in memory of the operating system.',
  seed: null,
  needs: 'engine',
  sizes: {
    rows: { about: 'rows of the address in each table', full: 1_000_000, quick: 20_000 },
    pages: { about: 'pages a list', full: 100, quick: 3 },
  },
  async run({ rows, pages }, { workspace: open, progress }) {
    const workspace = await open()
    const store = await workspace.store('pages')
    await fillBusyAddress(store, rows)
    progress(`${rows} rows in each table`)
    const waves = new QueryWaves()
    const api = await startApi({
      store: waves.over(store),
      eventLog: memoryEventLog(),
      chainId: 1,
      log: silentLog,
      metrics: startMetrics(),
      limits,
    })
    const naive = naiveStore(workspace.address, 'pages')
    const figures: Figure[] = []
    const blocks = rows / rowsPerBlock
    const every = Math.max(1, Math.min(checkedShare, Math.floor(pages / 3)))
    for (const list of lists) {
      // The first round meets tokens and addresses for the first time, the second knows them.
      for (const round of ['first', 'again']) {
        const measured: Measured[] = []
        let checkedAnswers = 0
        for (let at = 0; at < pages; at++) {
          const block = Math.floor(blocks - (blocks * 0.98 * at) / pages)
          const target = `${list.path}?${list.cursor(block, blocks)}`
          waves.take()
          let body: Buffer = Buffer.alloc(0)
          const pageMs = await took(async () => {
            body = await page(api.handler, target, block)
          })
          const asked = waves.take()
          const listMs = await took(() => queryAgain(store, asked.slice(0, 1)))
          const allMs = await took(() => queryAgain(store, asked))
          measured.push({ pageMs, listMs, allMs })
          if (at % every !== 0) continue
          const keys = list.keys(block, blocks)
          await assertFirstPage(naive, { ...list, keys }, { subject: `0x${busy}`, body })
          checkedAnswers += 1
        }
        figures.push(...figuresOf(`${list.name}, ${round}`, measured, checkedAnswers))
      }
    }
    await naive.close()
    await api.stop()
    return figures
  },
})

const figuresOf = (name: string, measured: readonly Measured[], checkedAnswers: number): Figure[] =>
  (['listMs', 'allMs'] as const).map((of) =>
    figureOf({
      name,
      unit: 'ms',
      values: measured.map(({ pageMs }) => pageMs),
      baseline: {
        part: of === 'listMs' ? 'statements of the list' : 'all statements',
        values: measured.map((one) => one[of]),
      },
      checkedAnswers,
    }),
  )
