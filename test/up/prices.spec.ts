import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { until } from '../support/until.ts'
import { endAll, freshFolder, startCommand } from './running.ts'

const asked: string[] = []
/** What a service of prices answers: 2.5 for each address, 2,000 for the coin. */
const server = createServer(({ url = '' }, response) => {
  asked.push(url)
  const tokens = url.match(/0x[0-9a-f]{40}/g) ?? []
  const figures = { usd: 2.5, vol: '1000', cap: 1e9, supply: 4e8, image: 'https://i.example/1.png' }
  const content = url.startsWith('/coin')
    ? { usd: 2_000 }
    : Object.fromEntries(tokens.map((address) => [address, figures]))
  response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
})

let source = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const origin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`
  const at = (name: string) => ['{address}', name]
  source = join(freshFolder(), 'prices.json')
  writeFileSync(
    source,
    JSON.stringify({
      ...{ everySeconds: 10, requestsPerMinute: 600 },
      coin: { url: `${origin}/coin?key=\${PRICES_KEY}`, price: ['usd'] },
      tokens: {
        ...{ url: `${origin}/tokens/{addresses}`, addressesMax: 50, price: at('usd') },
        ...{ volume24h: at('vol'), marketCap: at('cap'), circulatingSupply: at('supply') },
        icon: at('image'),
      },
    }),
  )
})
afterAll(() => {
  endAll()
  server.close()
})

const shownToken = z.looseObject({ exchange_rate: z.string().nullable() })
const shownTransactions = z.object({ items: z.array(shownToken) })

it('up --price-source fills prices, volumes, caps and icons', async () => {
  const flags = {
    ...{ port: '0', 'data-dir': freshFolder(), 'price-source': source },
    'demo-backlog-transactions': '60',
  }
  const up = startCommand('up', flags, { PRICES_KEY: 's3cret' })
  const token = () => /0x[0-9a-f]{40}/.exec(asked.join(' '))?.[0]
  await until('a token was asked for', () => token() !== undefined, 120_000)
  const path = `/api/v2/tokens/${token()}`
  const body = async () => shownToken.safeParse((await up.get(path)).body).data
  await until('its price is shown', async () => (await body())?.exchange_rate === '2.5')
  expect(await body()).toMatchObject({
    ...{ exchange_rate: '2.5', volume_24h: '1000', circulating_market_cap: '1000000000' },
    ...{ circulating_supply: '400000000', icon_url: 'https://i.example/1.png' },
  })
  const { body: list } = await up.get(`/api/v2/addresses/${token()}/transactions`)
  const rates = shownTransactions.parse(list).items.map(({ exchange_rate: rate }) => rate)
  expect(new Set(rates)).toEqual(new Set(['2000']))
  const metrics = await (await fetch(`${await up.origin()}/metrics`)).text()
  expect(metrics).toMatch(/foldscan_prices_total\{kind="coin",result="published"\} 1\n/)
  expect(metrics).toMatch(/foldscan_prices_total\{kind="tokens",result="published"\} [1-9]/)
  expect(metrics).toMatch(/foldscan_price_time_seconds\{kind="coin"\} 1[0-9]{9}/)
  up.kill('SIGTERM')
  expect(await up.exited).toMatchObject({ code: 0 })
  expect(asked.some((url) => url.endsWith('?key=s3cret'))).toBe(true)
  expect(up.lines.filter(({ level }) => level !== 'info')).toEqual([])
  expect(JSON.stringify(up.lines)).not.toContain('s3cret')
}, 300_000)

it('refuses a source that is wrong before it begins', async () => {
  const flags = { 'data-dir': freshFolder(), 'price-source': source }
  const up = startCommand('up', flags)
  expect(await up.exited).toMatchObject({ code: 1 })
  expect(up.lines.at(-1)?.msg).toBe('--price-source: the variable PRICES_KEY is not set.')
})
