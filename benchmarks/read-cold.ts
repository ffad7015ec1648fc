import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Store } from '../libs/ports/store.ts'
import { closedLoop, type LoopResult } from './read/closed-loop.ts'
import { fillUniformTables, type UniformTables } from './read/uniform-tables.ts'
import { machine, openWorkspace } from './workspace.ts'

const line = (text: string) => process.stdout.write(`${text}\n`)

const hexOf = (text: string, bytes: number) =>
  `0x${createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2)}`

interface Subjects {
  readonly name: string
  readonly path: (index: number) => string
  readonly count: (size: UniformTables) => number
}

const address = (index: number) => hexOf(`address${index}`, 20)
const token = (index: number) => hexOf(`token${index}`, 20)
const transaction = (index: number) => hexOf(`transaction${index}`, 32)

const lists: readonly Subjects[] = [
  {
    name: 'transactions of an address',
    path: (index) => `addresses/${address(index)}/transactions`,
    count: ({ addresses }) => addresses,
  },
  {
    name: 'transfers of a transaction',
    path: (index) => `transactions/${transaction(index)}/token-transfers`,
    count: ({ transactions }) => transactions,
  },
  {
    name: 'transfers of a token',
    path: (index) => `tokens/${token(index)}/transfers`,
    count: ({ tokens }) => tokens,
  },
  {
    name: 'holders of a token',
    path: (index) => `tokens/${token(index)}/holders`,
    count: ({ tokens }) => tokens,
  },
]

export interface ReadColdOptions extends UniformTables {
  /** Pages a list and a number of clients. */
  readonly pages: number
  readonly clients?: readonly number[]
}

/** `npm run bench -- read-cold`: first pages that no cache has, beside `SELECT 1`. */
export async function benchReadCold(options: ReadColdOptions): Promise<void> {
  const workspace = await openWorkspace()
  try {
    line(`machine: ${machine()}`)
    const store = await workspace.store('cold')
    await fillUniformTables(store, options)
    const { transactions, addresses, tokens, busyRows } = options
    line(
      `${transactions} transactions of ${addresses} addresses and ${tokens} tokens, one of each with ${busyRows} more`,
    )
    const floor = await bareQuery(store)
    line(`SELECT 1: ${floor.toFixed(2)} ms`)
    for (const clients of options.clients ?? [1, 16, 128]) {
      for (const list of lists) {
        const { child, port } = await startApiProcess(workspace.address, 'cold')
        try {
          const used = Math.min(options.pages, list.count(options))
          const step = Math.floor(list.count(options) / used)
          const begin = clients % step
          const targets = Array.from(
            { length: used },
            (_, at) => `/api/v2/${list.path((begin + at * step) % list.count(options))}`,
          )
          const items: number[] = []
          const result = await closedLoop({
            port,
            clients,
            targets,
            onBody: (_, body) => items.push(countItems(body)),
          })
          report(`${list.name}, ${clients} clients`, result, floor)
          const mean = items.reduce((sum, count) => sum + count, 0) / items.length
          line(`  ${mean.toFixed(1)} items a page`)
        } finally {
          child.kill()
          await once(child, 'exit')
        }
      }
    }
  } finally {
    await workspace.end()
  }
}

const pageBody = z.object({ items: z.array(z.unknown()) })
const countItems = (body: Buffer) => pageBody.parse(JSON.parse(body.toString())).items.length

async function bareQuery(store: Store): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 300; run++) {
    const startedAt = performance.now()
    await store.query('SELECT 1', {})
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)[150] ?? Number.NaN
}

function report(name: string, result: LoopResult, floorMs: number): void {
  const { perSecond, p50Ms, p99Ms, failed, responses } = result
  line(
    `${name.padEnd(44)} ${perSecond.toFixed(0).padStart(6)}/s, p50 ${p50Ms.toFixed(1)} ms ` +
      `(${(p50Ms / floorMs).toFixed(1)} x SELECT 1), p99 ${p99Ms.toFixed(0)} ms, ` +
      `${failed} of ${responses} failed`,
  )
}

const apiProcess = fileURLToPath(new URL('./read/api-process.ts', import.meta.url))
const started = z.object({ port: z.number() })

async function startApiProcess(
  { url, username, password }: { url: string; username: string; password: string },
  database: string,
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(apiProcess, [url, username, password, database], {
    execArgv: ['--import', 'tsx'],
  })
  const [message] = await once(child, 'message')
  return { child, port: started.parse(message).port }
}
