import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { firstBlock } from '../../cli/up/first-block.ts'
import { blocksBefore } from './blocks-before.ts'
import { examplePages } from './example-pages.ts'
import { subjectsOf } from './subjects.ts'

const subjects = {
  addresses: ['0xa1', '0xa2'],
  emitters: ['0xe1'],
  tokens: ['0xt1', '0xt2'],
  recipients: ['0xr1'],
  collectors: [],
  transactions: ['0xh1'],
}

const busier = '/api/v2/tokens/0xt1/holders'
const until = new AbortController()

/** Answers with an empty list, save for the paths that have something. */
const answering =
  (bodies: Record<string, unknown>): HttpHandler =>
  async ({ path }) => ({
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify(bodies[path] ?? { items: [], next_page_params: null })),
  })

it('counts for no client: with limits, one on this host would have less', async () => {
  const clients = new Set<string>()
  const answer = answering({})
  await examplePages(
    subjects,
    (request) => {
      clients.add(`${request.client} ${request.isOwn}`)
      return answer(request)
    },
    until.signal,
  )
  expect([...clients]).toEqual(['0.0.0.0 true'])
})

const chosen = async (bodies: Record<string, unknown>) =>
  (await examplePages(subjects, answering(bodies), until.signal))
    .filter(({ isEmpty }) => !isEmpty)
    .map(({ path }) => path)

const everything = Object.fromEntries(
  [
    '/api/v2/addresses/0xr1/tokens',
    '/api/v2/addresses/0xa1/transactions',
    '/api/v2/tokens/0xt1/transfers',
    '/api/v2/addresses/0xe1/logs',
    '/api/v2/transactions/0xh1/token-transfers',
    '/api/v2/tokens/0xt1/holders',
  ].map((path) => [path, { items: [{}] }]),
)
const whole: Readonly<Record<string, unknown>> = {
  ...everything,
  '/api/v2/addresses/0xr1/token-balances': [{}],
  '/api/v2/transactions/0xh1/summary': { data: { summaries: [{}] } },
  '/api/v2/tokens/0xt1': { name: 'T' },
}

describe('what is worth opening', () => {
  it('is each endpoint once, except those of which the chain has no subject', async () => {
    const paths = await chosen(whole)
    expect(paths).toHaveLength(9)
    expect(new Set(paths).size).toBe(9)
    expect(paths.join()).not.toContain('/nft')
  })

  it('is no page without anything to show', async () => {
    const holders = '/api/v2/tokens/0xt1/holders'
    expect(await chosen({ ...whole, [holders]: { items: [] } })).not.toContain(holders)
    const balances = '/api/v2/addresses/0xr1/token-balances'
    expect(await chosen({ ...whole, [balances]: [] })).not.toContain(balances)
    const token = { name: null, symbol: null, decimals: null, type: 'ERC-20' }
    expect(await chosen({ ...whole, '/api/v2/tokens/0xt1': token })).not.toContain(
      '/api/v2/tokens/0xt1',
    )
    const summary = '/api/v2/transactions/0xh1/summary'
    expect(await chosen({ ...whole, [summary]: { data: { summaries: [] } } })).not.toContain(
      summary,
    )
  })

  it('prefers a subject that has something to show over a busier one', async () => {
    const { [busier]: _, ...others } = whole
    const holders = '/api/v2/tokens/0xt2/holders'
    expect(await chosen({ ...others, [holders]: { items: [{}] } })).toContain(holders)
  })

  it('is an empty page of an endpoint that has no other, if it is answered', async () => {
    const pages = await examplePages(subjects, answering(whole), until.signal)
    expect(pages.filter(({ isEmpty }) => isEmpty)).toEqual([
      {
        ...{ what: 'NFTs an address owns', route: '/api/v2/addresses/{address_hash}/nft' },
        ...{ subject: '0xa1', path: '/api/v2/addresses/0xa1/nft', isEmpty: true },
      },
    ])
  })

  it('asks no more once the signal aborts', async () => {
    let asked = 0
    const aborted = new AbortController()
    const aborting: HttpHandler = async () => {
      asked++
      aborted.abort()
      return { status: 200, headers: {}, body: Buffer.from('{"items": []}') }
    }
    await examplePages({ ...subjects, emitters: ['0x1', '0x2', '0x3'] }, aborting, aborted.signal)
    expect(asked).toBe(1)
  })

  it('takes no answer but 200 for something to show', async () => {
    const broken: HttpHandler = async () => ({ status: 503, headers: {}, body: Buffer.from('{}') })
    expect(await examplePages(subjects, broken, until.signal)).toEqual([])
  })
})

describe('what may be large is walked in pieces', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** Turns of the event loop during work, on a clock by which each pause is due by default. */
  async function turnsDuring<T>(work: () => Promise<T>, stepMs = 1_000) {
    let time = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (time += stepMs))
    let turns = 0
    let next = setImmediate(function turn() {
      turns += 1
      next = setImmediate(turn)
    })
    const result = await work()
    clearImmediate(next)
    return { turns, result }
  }

  const file = new URL('../../../libs/topics/examples/blocks.json', import.meta.url)
  const examples = z.array(z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')))
  const applied = Buffer.from(JSON.stringify(examples[0]))

  async function logOf(messages: number) {
    const eventLog = memoryEventLog()
    await eventLog.append('blocks', Array(messages).fill({ key: '1', value: applied }))
    return eventLog
  }

  it('the newest messages', async () => {
    const eventLog = await logOf(20)
    const { turns, result } = await turnsDuring(() => blocksBefore(eventLog, 20))
    expect(result).toHaveLength(20)
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it('many small messages together', async () => {
    const eventLog = await logOf(20)
    const { turns } = await turnsDuring(() => blocksBefore(eventLog, 20), 2)
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  it('the first message', async () => {
    const eventLog = await logOf(1)
    const { turns, result } = await turnsDuring(() => firstBlock(eventLog))
    expect(result).not.toBeNull()
    expect(turns).toBeGreaterThan(0)
  })

  it('their transfers', async () => {
    const blocks = await blocksBefore(await logOf(20), 20)
    const { turns, result } = await turnsDuring(async () => subjectsOf(blocks))
    expect(result.addresses).not.toHaveLength(0)
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it('responses', async () => {
    const items = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(40_000) }))
    const answer = answering({ [busier]: { items } })
    const { turns, result } = await turnsDuring(() => examplePages(subjects, answer, until.signal))
    const worth = result.filter(({ isEmpty }) => !isEmpty)
    expect(worth.map(({ path }) => path)).toEqual([busier])
    expect(turns).toBeGreaterThanOrEqual(100)
  })
})
