import { memoryEventLog } from '../libs/adapters/memory/memory-event-log.ts'
import type { HttpHandler } from '../libs/ports/http.ts'
import { silentLog } from '../libs/signals/log.ts'
import { startMetrics } from '../libs/signals/metrics.ts'
import { startApi } from '../services/api/api.ts'
import { AskedWaves, askAgain } from './asked-waves.ts'
import { busy, fillBusyAddress, rowsPerBlock } from './busy-address.ts'
import { machine, openWorkspace } from './workspace.ts'

/** Every page is made anew: what is measured is the way to the tables and back. */
const limits = { pageCacheBytesMax: 1 }

interface List {
  readonly name: string
  readonly path: string
  /** The cursor of a page that begins below block `block` of `blocks`. */
  readonly cursor: (block: number, blocks: number) => string
}

const byBlock = (block: number) => `block_number=${block}&index=0`

const lists: readonly List[] = [
  { name: 'transactions', path: `addresses/0x${busy}/transactions`, cursor: byBlock },
  {
    name: 'transactions by value',
    path: `addresses/0x${busy}/transactions`,
    cursor(block, blocks) {
      const value = (2n ** 64n * BigInt(block)) / BigInt(blocks)
      return `sort=value&order=desc&value=${value}&${byBlock(block)}`
    },
  },
  { name: 'logs', path: `addresses/0x${busy}/logs`, cursor: byBlock },
  { name: 'token transfers', path: `tokens/0x${busy}/transfers`, cursor: byBlock },
]

interface Measured {
  readonly pageMs: number
  /** The statements that fetch the list's own rows. */
  readonly listMs: number
  /** All statements of the page. */
  readonly allMs: number
}

const line = (text: string) => process.stdout.write(`${text}\n`)
const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function page(handler: HttpHandler, target: string): Promise<void> {
  const [path = '', query = ''] = target.split('?')
  const { status, body } = await handler({
    method: 'GET',
    path: `/api/v2/${path}`,
    query,
    headers: {},
    client: '127.0.0.1',
  })
  const { items } = JSON.parse(body.toString())
  if (status !== 200 || items.length !== 50) {
    throw new Error(`${target}: ${status} with ${items?.length} items where a full page is due`)
  }
}

/** `npm run bench -- pages`: a page beside the raw queries that it needs, at every depth. */
export async function benchPages(rows: number, pages: number): Promise<void> {
  const workspace = await openWorkspace()
  try {
    line(`machine: ${machine()}`)
    const store = await workspace.store('pages')
    await fillBusyAddress(store, rows)
    line(`${rows} rows of one address in each table; ${pages} pages a list, at all depths`)
    const waves = new AskedWaves()
    const api = await startApi({
      store: waves.over(store),
      events: memoryEventLog(),
      chainId: 1,
      log: silentLog,
      metrics: startMetrics(),
      limits,
    })
    for (const list of lists) {
      // The first round meets tokens and addresses for the first time, the second knows them.
      for (const round of ['first', 'again']) {
        const measured: Measured[] = []
        for (let at = 0; at < pages; at++) {
          const blocks = rows / rowsPerBlock
          const block = Math.floor(blocks - (blocks * 0.98 * at) / pages)
          const target = `${list.path}?${list.cursor(block, blocks)}`
          waves.take()
          const pageMs = await took(() => page(api.handler, target))
          const asked = waves.take()
          const listMs = await took(() => askAgain(store, asked.slice(0, 1)))
          const allMs = await took(() => askAgain(store, asked))
          measured.push({ pageMs, listMs, allMs })
        }
        report(`${list.name}, ${round}`, measured)
      }
    }
    await api.stop()
  } finally {
    await workspace.end()
  }
}

function report(name: string, measured: readonly Measured[]): void {
  const median = (of: (one: Measured) => number) => quantile(measured.map(of), 0.5).toFixed(1)
  const ratio = (of: (one: Measured) => number, share: number) =>
    quantile(measured.map(of), share).toFixed(2)
  const toList = (one: Measured) => one.pageMs / one.listMs
  const toAll = (one: Measured) => one.pageMs / one.allMs
  line(
    `${name.padEnd(30)} page ${median((one) => one.pageMs)} ms, list ${median((one) => one.listMs)} ms, ` +
      `all ${median((one) => one.allMs)} ms; page/list ${ratio(toList, 0.5)} (p90 ${ratio(toList, 0.9)}), ` +
      `page/all ${ratio(toAll, 0.5)} (p90 ${ratio(toAll, 0.9)})`,
  )
}
