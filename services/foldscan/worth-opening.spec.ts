import { describe, expect, it } from 'vitest'
import type { HttpHandler } from '../../libs/ports/http.ts'
import { worthOpening } from './worth-opening.ts'

const subjects = {
  addresses: ['0xa1', '0xa2'],
  emitters: ['0xe1'],
  tokens: ['0xt1', '0xt2'],
  recipients: ['0xr1'],
  collectors: [],
  transactions: ['0xh1'],
}

const until = new AbortController()

/** Answers with an empty list, save for the paths that have something. */
const answering =
  (bodies: Record<string, unknown>): HttpHandler =>
  async ({ path }) => ({
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify(bodies[path] ?? { items: [], next_page_params: null })),
  })

const chosen = async (bodies: Record<string, unknown>) =>
  (await worthOpening(subjects, answering(bodies), until.signal)).map(({ path }) => path)

describe('what is worth opening', () => {
  it('is each endpoint once, save those of which the chain has no subject', async () => {
    const paths = await chosen({})
    expect(paths).toHaveLength(9)
    expect(new Set(paths).size).toBe(9)
    expect(paths.join()).not.toContain('/nft')
  })

  it('prefers a subject that has something to show over a busier one', async () => {
    const holders = '/api/v2/tokens/0xt2/holders'
    expect(await chosen({ [holders]: { items: [{}] } })).toContain(holders)
    expect(await chosen({})).toContain('/api/v2/tokens/0xt1/holders')
  })

  it('takes a bare list and an object for what they are', async () => {
    const balances = '/api/v2/addresses/0xr1/token-balances'
    expect(await chosen({ [balances]: [] })).toContain(balances)
    expect(await chosen({ '/api/v2/tokens/0xt1': { name: 'T' } })).toContain('/api/v2/tokens/0xt1')
  })

  it('asks no more once the signal aborts', async () => {
    let asked = 0
    const aborted = new AbortController()
    const aborting: HttpHandler = async () => {
      asked++
      aborted.abort()
      return { status: 200, headers: {}, body: Buffer.from('{"items": []}') }
    }
    await worthOpening({ ...subjects, emitters: ['0x1', '0x2', '0x3'] }, aborting, aborted.signal)
    expect(asked).toBe(1)
  })

  it('takes no answer but 200 for something to show', async () => {
    const broken: HttpHandler = async () => ({ status: 503, headers: {}, body: Buffer.from('{}') })
    expect((await worthOpening(subjects, broken, until.signal)).map(({ path }) => path)).toContain(
      '/api/v2/tokens/0xt1/holders',
    )
  })
})
