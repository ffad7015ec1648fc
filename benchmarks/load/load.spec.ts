import { readFileSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes } from '../../services/api/endpoints/routes.ts'
import { endpointOf } from './endpoint-of.ts'
import { nextQuery, trafficOf, zipf } from './traffic.ts'

const fileOf = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')

const hash = (digits: number) => z.array(z.string().regex(new RegExp(`^0x[0-9a-f]{${digits}}$`)))
const targets = z
  .strictObject({
    endpoints: z.array(
      z.strictObject({
        path: z.string(),
        subject: z.enum(['addresses', 'tokens', 'transactions']),
      }),
    ),
    subjects: z.strictObject({
      addresses: hash(40).min(100),
      tokens: hash(40).min(100),
      transactions: hash(64).min(100),
    }),
  })
  .parse(JSON.parse(fileOf('targets.json')))

describe("Zipf's law", () => {
  it('gives rank r a weight of 1 / (r + 1)', () => {
    const rank = zipf(4, 1)
    // 1, 1/2, 1/3, 1/4 of 25/12
    const edges = [0, 12 / 25, 18 / 25, 22 / 25, 1]
    for (const [at, edge] of edges.entries()) {
      if (at < 4) expect(rank(edge + 1e-9)).toBe(at)
      if (at > 0) expect(rank(edge - 1e-9)).toBe(at - 1)
    }
  })

  it('gives all ranks the same weight with an exponent of 0', () =>
    expect([0, 0.25, 0.5, 0.75].map(zipf(4, 0))).toEqual([0, 1, 2, 3]))
})

describe('the file of real subjects', () => {
  it('has the endpoints of the API', () =>
    expect(targets.endpoints).toEqual(routes.map(endpointOf)))

  it('is requested with subjects of the right kind', () => {
    let at = 0
    const next = trafficOf(targets, 1, () => (at++ * 0.37) % 1)
    for (let request = 0; request < 200; request++) {
      const { endpoint, target } = next()
      const [before = '', after = ''] = endpoint.path.split(/\{.*\}/)
      const subject = target.slice(before.length, target.length - after.length)
      expect(targets.subjects[endpoint.subject]).toContain(subject)
    }
  })
})

it('asks for a next page as the API says', () => {
  expect(nextQuery({ value: '1', token: null, name: 'a&b' })).toBe('value=1&name=a%26b')
  expect(nextQuery(null)).toBeUndefined()
})

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly page: string
}

/** Runs the script of k6 with an HTTP client that answers every request. */
function runScript(visits: number, environment: Readonly<Record<string, string>> = {}) {
  const source = fileOf('mixed-traffic.js')
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
  const names = ['check', 'http', 'open', '__ENV', 'SharedArray', 'Counter', 'Trend']
  const sent: Sent[] = []
  const failed: string[] = []
  const get = (url: string, { headers, tags }: { headers: Sent['headers']; tags: Sent }) => {
    sent.push({ url, headers, page: tags.page })
    const body = { items: [], next_page_params: { block_number: 1, index: 2 } }
    const conditional = headers['if-none-match'] !== undefined
    return {
      status: conditional ? 304 : 200,
      headers: { Etag: '"tag"', 'Content-Length': '10' },
      json: () => body,
    }
  }
  const check = (response: object, checks: Readonly<Record<string, (of: object) => boolean>>) => {
    for (const [name, holds] of Object.entries(checks)) if (!holds(response)) failed.push(name)
  }
  const metric = class {
    add() {}
  }
  const shared = class extends Array {
    constructor(_: string, make: () => unknown[]) {
      super()
      this.push(...make())
    }
  }
  const run = compileFunction(
    `${source}\nfor (let at = 0; at < ${visits}; at++) visit()\nreturn options`,
    [...names, 'trafficOf', 'nextQuery'],
  )
  const http = { get, expectedStatuses: () => undefined }
  const open = () => fileOf('targets.json')
  const options = run(check, http, open, environment, shared, metric, metric, trafficOf, nextQuery)
  return { options, sent, failed }
}

describe('the script of k6', () => {
  it('mixes first pages, deep pages and conditional requests', () => {
    const { sent, failed } = runScript(4_000)
    const share = (page: string) => sent.filter((one) => one.page === page).length / sent.length
    expect(failed).toEqual([])
    expect(share('deep')).toBeCloseTo(0.1, 1)
    expect(share('conditional')).toBeCloseTo(0.05, 1)
    for (const { page, url, headers } of sent) {
      expect(url.includes('?'), url).toBe(
        page === 'deep' || (page === 'conditional' && url.includes('?')),
      )
      expect(headers['if-none-match']).toBe(page === 'conditional' ? '"tag"' : undefined)
    }
  })

  it('is an open loop up to the rate, with a burst of twice the rate and bounds', () => {
    const { options } = runScript(0, { RATE: '400', ORIGIN: 'http://api.example' })
    const { executor, stages, exec } = options.scenarios.mixed
    expect([executor, exec]).toEqual(['ramping-arrival-rate', 'visit'])
    expect(stages.map(({ target }: { target: number }) => target)).toEqual([
      200, 400, 400, 800, 400, 0,
    ])
    expect(Object.keys(options.thresholds)).toContain('http_req_duration{page:first}')
    expect(options.thresholds.dropped_iterations).toEqual(['count<1'])
  })

  it('takes an odd rate, as rates of stages are whole numbers', () => {
    const { stages } = runScript(0, { RATE: '25' }).options.scenarios.mixed
    expect(stages.map(({ target }: { target: number }) => target)).toEqual([13, 25, 25, 50, 25, 0])
  })

  it.each([
    ['RATE', 'fast', 'a whole number from 1'],
    ['RATE', '0.5', 'a whole number from 1'],
    ['MINUTES', '-1', 'a whole number from 1'],
    ['ZIPF', 'x', 'a number from 0'],
    ['DEEP_SHARE', '2', 'a number from 0 to 1'],
  ])('names a variable that is invalid: %s=%s', (name, value, expected) => {
    const message = new RegExp(`^${name} is ${expected}.*, not ${value}$`)
    expect(() => runScript(0, { [name]: value })).toThrow(message)
  })

  it('sends an API key, if it is given one', () => {
    for (const { headers } of runScript(3, { API_KEY: 'fs_x' }).sent) {
      expect(headers['x-api-key']).toBe('fs_x')
    }
    for (const { headers } of runScript(3).sent) expect(headers['x-api-key']).toBeUndefined()
  })
})
