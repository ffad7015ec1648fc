import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subjectsOfBlocks } from './answers.ts'
import { type MainnetServer, mainnetServer } from './mainnet-server.ts'
import { type Ended, openApiTools } from './tools.ts'

const tools = await openApiTools('schemathesis')
afterAll(() => tools?.remove())

const requestsMin = 20_000
/** Random requests to each operation and seed; those that come twice are sent once. */
const examples = 1_400
const subjectsMax = 200
/** One run each, at the same time: a run takes one core. */
const seeds = [1, 2]
const timeout = 60 * 60_000
const complaintMaxChars = 4_000

const statuses = new Map<number, number>()
let server: MainnetServer

beforeAll(async () => {
  server = await mainnetServer((status) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
})
afterAll(() => server.stop())

/** A random address or hash names nothing: every second one is of the blocks. */
function settings(): string {
  const subjects = subjectsOfBlocks()
  const busiest = (path: string) => subjects(path).slice(0, subjectsMax)
  const addresses = [...busiest('/tokens/{'), ...busiest('/addresses/{')]
  const transactions = busiest('/transactions/{')
  return [
    'cache.enabled = false',
    `dictionaries.address.values = ${JSON.stringify(addresses)}`,
    `dictionaries.transaction.values = ${JSON.stringify(transactions)}`,
    'parameters."path.address_hash" = { dictionary = "address", probability = 0.5 }',
    'parameters."path.transaction_hash" = { dictionary = "transaction", probability = 0.5 }',
  ].join('\n')
}

/** All phases, with all checks; its summary goes to stdout. */
async function asked(seed: number): Promise<Ended> {
  if (tools === null) throw new Error('no tools')
  const url = `${server.origin}/api/v2/openapi.json`
  const form = ['--checks=all', '--continue-on-failure', '--generation-database=none']
  const size = [`--max-examples=${examples}`, `--seed=${seed}`]
  const ended = await tools.run('schemathesis', 'run', url, ...form, ...size)
  process.stdout.write(`\n${ended.output.slice(ended.output.lastIndexOf('= SUMMARY ='))}\n`)
  return ended
}

describe.skipIf(tools === null)('the API, asked by Schemathesis as openapi.json says', () => {
  it(`answers ${requestsMin} requests in all phases as it says`, { timeout }, async () => {
    writeFileSync(join(tools?.folder ?? '', 'schemathesis.toml'), settings())
    for (const { code, output } of await Promise.all(seeds.map(asked))) {
      expect(code, output.slice(-complaintMaxChars)).toBe(0)
      // It ignores a pattern that it cannot read, and warns.
      expect(output).not.toContain('Unsupported regex patterns')
      const passed = [...output.matchAll(/✅ +(\w+) \(in /g)].map(([, phase]) => phase)
      expect(passed).toEqual(['Examples', 'Coverage', 'Fuzzing', 'Stateful'])
    }
    process.stdout.write(`\nResponses by status: ${JSON.stringify([...statuses])}\n`)
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
    expect(statuses.get(200)).toBeGreaterThan(requestsMin / 4)
    const requests = [...statuses.values()].reduce((one, other) => one + other, 0)
    expect(requests).toBeGreaterThanOrEqual(requestsMin)
  })
})
