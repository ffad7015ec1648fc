import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { foldscanWords } from '../support/compiled-services.ts'
import { consecutiveBlocks } from '../support/mainnet-block.ts'
import { until } from '../support/until.ts'
import {
  endAll,
  freshFolder,
  mainnet,
  ownEnvironment,
  type Running,
  startUp,
  top,
} from './running.ts'

const folder = freshFolder()
const dataDir = join(folder, 'data')
const holder = `0x${'0abc'.repeat(10)}`
/** They move in the twelve blocks. */
const tokens = {
  usdc: { address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: 6, value: '3000000' },
  usdt: { address: '0xdac17f958d2ee523a2206206994597c13d831ec7', decimals: 6, value: '4000000' },
  weth: { address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', decimals: 18, value: '5' },
} as const
type Name = keyof typeof tokens

/** The blocks, and before the second one what a node reported of the holder. */
function sourceWithHolder(): string {
  const source = freshFolder()
  for (const number of consecutiveBlocks) {
    symlinkSync(join(mainnet, `${number}.json.gz`), join(source, `${number}.json.gz`))
  }
  const all = Object.values(tokens)
  const observed = {
    balances: all.map(({ address: token, value }) => ({ token, holder, value })),
    tokens: all.map(({ address, decimals }) => ({ address, decimals, standard: 'ERC-20' })),
  }
  writeFileSync(join(source, `${consecutiveBlocks[0]}.observed.json`), JSON.stringify(observed))
  return source
}

const page = z.object({
  items: z.array(
    z.object({
      token: z.object({
        address_hash: z.string().toLowerCase(),
        exchange_rate: z.string().nullable(),
      }),
    }),
  ),
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
})

async function pageOf({ get }: Running, query: Record<string, string>) {
  const { body } = await get(`/api/v2/addresses/${holder}/tokens?${new URLSearchParams(query)}`)
  // Before it is ready it answers nothing else but that.
  return page.safeParse(body).data ?? { items: [], next_page_params: null }
}

const namesOf = ({ items }: z.output<typeof page>) =>
  items.map(
    ({ token }) =>
      Object.entries(tokens).find(([, { address }]) => address === token.address_hash)?.[0],
  )

/** One by one, sending all of each cursor back. */
async function walked(running: Running) {
  const found: { name: string | undefined; fiat: unknown; rate: string | null }[] = []
  let cursor: Record<string, string> = {}
  for (;;) {
    const one = await pageOf(running, { ...cursor, items_count: '1' })
    const { next_page_params: next, items } = one
    const rate = items[0]?.token.exchange_rate ?? null
    found.push({ name: namesOf(one)[0], fiat: next?.fiat_value, rate })
    if (next === null) return found
    cursor = Object.fromEntries(Object.entries(next).map(([name, value]) => [name, `${value}`]))
  }
}

function importing(prices: Partial<Record<Name, string>>) {
  const file = join(folder, 'prices.csv')
  const lines = Object.entries(prices).map(([name, price]) => {
    const { address } = tokens[z.enum(['usdc', 'usdt', 'weth']).parse(name)]
    return `${address},${price}`
  })
  writeFileSync(file, ['token,price', ...lines, ''].join('\n'))
  const words = ['import', 'prices', file, '--into-data-dir', dataDir]
  const args = foldscanWords(words)
  return new Promise<string>((resolve, reject) => {
    const options = { cwd: top, env: ownEnvironment() }
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr))
      else resolve(stdout)
    })
  })
}

async function stopped(running: Running): Promise<void> {
  running.kill('SIGTERM')
  const exit = await running.exited
  expect(exit, exit.reason).toMatchObject({ code: 0 })
}

/** On a machine that is busy with other things. */
const startMaxMs = 120_000

afterAll(endAll)

it(
  'orders what an address holds by the prices that were imported, and shows the newest',
  async () => {
    const source = sourceWithHolder()
    const up = () => startUp({ 'data-dir': dataDir, source, 'figures-step-seconds': '0' })
    const first = up()
    await until('balances', async () => (await pageOf(first, {})).items.length === 3, startMaxMs)
    expect(namesOf(await pageOf(first, {}))).toEqual(['usdt', 'usdc', 'weth'])
    await stopped(first)

    expect(await importing({ usdc: '1.5', weth: '1870.25' })).toBe(
      'published 2 of 2 facts of a file to token-facts\n',
    )
    const second = up()
    const byRates = ['usdc', 'weth', 'usdt']
    await until(
      'the rates',
      async () => namesOf(await pageOf(second, {})).join() === byRates.join(),
      startMaxMs,
    )
    expect(await walked(second)).toEqual([
      { name: 'usdc', fiat: '4.5', rate: '1.5' },
      { name: 'weth', fiat: '0.00000000000000935125', rate: '1870.25' },
      { name: 'usdt', fiat: undefined, rate: null },
    ])
    const bare = await second.get(`/api/v2/addresses/${holder}/token-balances`)
    expect(namesOf({ items: page.shape.items.parse(bare.body), next_page_params: null })).toEqual(
      byRates,
    )
    await stopped(second)

    // The hour of the chain is the same: what is shown changes at once, the order does not.
    await importing({ usdc: '0.001', weth: '1', usdt: '9' })
    const third = up()
    await until('the new rates', async () => (await walked(third))[2]?.rate === '9', startMaxMs)
    expect(await walked(third)).toEqual([
      { name: 'usdc', fiat: '4.5', rate: '0.001' },
      { name: 'weth', fiat: '0.00000000000000935125', rate: '1' },
      { name: 'usdt', fiat: undefined, rate: '9' },
    ])
    await stopped(third)
  },
  4 * startMaxMs,
)
