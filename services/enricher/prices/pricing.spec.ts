import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import type { WebResult } from '../../../libs/ports/web.ts'
import { json, PriceWorld, page, sourceOfAll, token } from './testing/price-world.ts'

let world = new PriceWorld()
afterEach(async () => {
  await world.stop()
  world = new PriceWorld()
})

const [coins, tokens] = ['coin-prices', 'token-facts']
/** Prices of tokens, and one of the coin. */
const refusal = (status: number): WebResult => ({
  ...{ kind: 'failed', reason: 'status', status },
  sentence: `prices.example answered ${status}`,
})
const priced =
  (prices: Readonly<Record<string, number>>, coin = 2_000) =>
  (path: string) =>
    path === '/coin'
      ? json({ usd: coin })
      : json(Object.fromEntries(Object.entries(prices).map(([key, usd]) => [key, { usd }])))

it('publishes the price of the coin and of tokens that move, once', async () => {
  world.page = priced({ [token(1)]: 1.5, [token(2)]: 3 })
  await world.move(token(1), token(2), token(3))
  world.start()
  expect(await world.published(coins, 1)).toMatchObject([
    { chainId: 1, moment: 'now', price: '2000', time: expect.any(Number) },
  ])
  const facts = await world.published(tokens, 2)
  expect(facts).toContainEqual(
    expect.objectContaining({ kind: 'market', token: token(1), exchangeRate: '1.5' }),
  )
  await world.answered(20)
  expect(await world.facts(tokens)).toHaveLength(2)
  expect(await world.facts(coins)).toHaveLength(1)
  expect(world.asked.some((url) => url.includes(token(3)))).toBe(true)
})

it('publishes a price again where it has changed, and a jump where it is confirmed', async () => {
  let coin = 2_000
  world.page = (path) => priced({}, coin)(path)
  world.start()
  await world.published(coins, 1)
  coin = 2_100
  await world.published(coins, 2)
  const answers = [50, 2_100, 50, 51]
  world.page = () => json({ usd: answers.length > 1 ? answers.shift() : answers[0] })
  const facts = await world.published(coins, 3)
  await world.answered(5)
  expect((await world.facts(coins)).map(({ price }) => price)).toEqual(['2000', '2100', '51'])
  expect(facts).toHaveLength(3)
})

it('takes a price away that has been gone for long, and none that others have published', async () => {
  const market = {
    kind: 'market',
    volume24h: null,
    marketCap: null,
    circulatingSupply: null,
    time: 1,
  }
  await world.publish(tokens, { ...market, token: token(2), exchangeRate: '7' })
  world.page = priced({ [token(1)]: 1.5 })
  await world.move(token(1), token(2))
  world.start()
  await world.published(tokens, 2)
  world.page = priced({})
  const facts = await world.published(tokens, 3)
  expect(facts.map(({ exchangeRate }) => exchangeRate)).toEqual(['7', '1.5', null])
  await world.answered(20)
  expect(await world.facts(tokens)).toHaveLength(3)
})

it('goes on after a restart with what it has published', async () => {
  world.page = priced({ [token(1)]: 1.5 })
  await world.move(token(1))
  world.start()
  await world.published(tokens, 1)
  await world.published(coins, 1)
  await world.stop()
  world.page = priced({ [token(1)]: 1.6 }, 2_100)
  world.start()
  expect((await world.published(tokens, 2)).at(-1)).toMatchObject({ exchangeRate: '1.6' })
  expect((await world.published(coins, 2)).at(-1)).toMatchObject({ price: '2100' })
})

it('asks for others where a token is what the source cannot answer for', async () => {
  const bad = token(3)
  world.page = (path) =>
    path.includes(bad)
      ? refusal(400)
      : priced({ [token(1)]: 1, [token(2)]: 2, [token(4)]: 4 })(path)
  await world.move(token(1), token(2), bad, token(4))
  world.start()
  const facts = await world.published(tokens, 3)
  expect(facts.map(({ token: of }) => of).toSorted()).toEqual([token(1), token(2), token(4)])
  expect(world.lines).toHaveLength(1)
})

it('asks for the other kinds where one fails', async () => {
  world.page = (path) => (path === '/coin' ? refusal(500) : priced({ [token(1)]: 1 })(path))
  await world.move(token(1))
  world.start()
  await world.published(tokens, 1)
  world.page = (path) => (path === '/coin' ? priced({})(path) : refusal(500))
  await world.published(coins, 1)
})

it('publishes an icon beside, where the source has it, and keeps those of others', async () => {
  const image = 'https://icons.example/1.png'
  await world.publish(tokens, { kind: 'icon', token: token(2), time: 1, url: image })
  world.page = (path) =>
    path === '/coin'
      ? json({})
      : json({ [token(1)]: { usd: 1, image }, [token(2)]: { usd: 1, image } })
  await world.move(token(1), token(2))
  world.start()
  const facts = await world.published(tokens, 4)
  await world.answered(5)
  expect(await world.facts(tokens)).toHaveLength(4)
  expect(
    facts
      .slice(1)
      .map(({ kind, token: of }) => `${kind} ${of}`)
      .toSorted(),
  ).toEqual([`icon ${token(1)}`, `market ${token(1)}`, `market ${token(2)}`])
})

it('asks for days until all are known', async () => {
  const { tokens: _, ...rest } = sourceOfAll
  const from = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  const url = 'https://prices.example/days/{date}'
  world.page = (path) => json({ usd: 7, path })
  world.start({ ...rest, history: { url, price: ['usd'], from } })
  const facts = await world.published(coins, 4)
  const days = facts.map(({ moment }) => moment).filter((moment) => moment !== 'now')
  expect(days).toHaveLength(3)
  expect(days.toSorted().toReversed()).toEqual(days)
  await world.answered(5)
  expect(await world.facts(coins)).toHaveLength(4)
})

it('tries a source that fails again, says so without the URL, and loses nothing', async () => {
  let failures = 3
  world.page = (path) => {
    if (failures-- <= 0) return priced({ [token(1)]: 1 })(path)
    return refusal(500)
  }
  await world.move(token(1))
  const secret = 'https://prices.example/tokens/{addresses}?key=s3cret'
  const { tokens: of = expect.fail() } = sourceOfAll
  world.start({ ...sourceOfAll, tokens: { ...of, url: secret } })
  await world.published(tokens, 1)
  await world.published(coins, 1)
  expect(world.lines.length).toBe(1)
  expect(world.lines[0]?.sentence).toMatch(
    /^no prices \((coin|tokens)\): prices.example answered 500$/,
  )
  expect(JSON.stringify(world.lines)).not.toContain('s3cret')
})

it('takes 404 for no price, and text that is no JSON for a failure', async () => {
  world.page = (path) => {
    if (path === '/coin') return page('<html>')
    return refusal(404)
  }
  await world.move(token(1))
  world.start()
  await world.answered(10)
  expect(world.lines.map(({ sentence }) => sentence)).toEqual([
    'no prices (coin): the answer is not JSON',
  ])
  expect(await world.facts(tokens)).toEqual([])
})

it('reads a file, which may be written anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-prices-'))
  const file = join(folder, 'prices.json')
  writeFileSync(file, JSON.stringify({ usd: '1.25' }))
  const { tokens: _, ...rest } = sourceOfAll
  world.start({ ...rest, coin: { url: `${pathToFileURL(file)}`, price: ['usd'] } })
  await world.published(coins, 1)
  writeFileSync(file, JSON.stringify({ usd: '1.5' }))
  expect((await world.published(coins, 2)).map(({ price }) => price)).toEqual(['1.25', '1.5'])
  expect(world.asked).toEqual([])
  rmSync(folder, { recursive: true })
})

it('publishes when the log is back', async () => {
  let away = 4
  const { log } = world
  world.log = Object.assign(Object.create(log), {
    append: async (...args: Parameters<typeof log.append>) => {
      if (away-- > 0) throw new LogUnavailable('no broker')
      return log.append(...args)
    },
    end: async (topic: string) => {
      if (away-- > 2) throw new LogUnavailable('no broker')
      return log.end(topic)
    },
  })
  world.page = priced({})
  world.start()
  await world.published(coins, 1)
  expect(world.lines).toHaveLength(1)
})

it('ends at once, whatever is asked', async () => {
  world.page = () => new Promise(() => {})
  world.start()
  await world.answered(0)
  await world.stop()
})
