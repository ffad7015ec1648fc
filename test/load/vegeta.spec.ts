import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attackTargets, seenPage } from '../../benchmarks/load/attack-targets.ts'
import { missedThresholds, thresholdsDefault } from '../../benchmarks/load/thresholds.ts'
import { attacked, builtVegeta } from '../../benchmarks/load/vegeta.ts'
import { mulberry32 } from '../../services/demo-chain/random.ts'
import { orSkipped } from '../support/or-skipped.ts'

const program = await orSkipped('vegeta', builtVegeta)

test.skipIf(program === null)('vegeta sends the requests at their time, and reports', async () => {
  const received: { url: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url = '', headers }, response) => {
    received.push({ url, headers })
    const isKnown = headers['if-none-match'] === '"tag"'
    response.writeHead(isKnown ? 304 : url.includes('?') ? 503 : 200).end(isKnown ? '' : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const origin = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-vegeta-'))
  const path = '/api/v2/tokens/{address_hash}'
  const targets = {
    endpoints: [{ path, subject: 'tokens' as const }],
    subjects: { tokens: ['0x1'], addresses: [], transactions: [] },
  }
  const seen = [seenPage('/list', '"tag"', { next_page_params: { id: 7 } })]
  const shares = { deepShare: 0.25, conditionalShare: 0.25, exponent: 1, apiKey: 'key' }
  const random = mulberry32(1)
  const next = attackTargets({ origin, targets, seen, ...shares }, () => random() / 2 ** 32)
  writeFileSync(join(folder, 'requests'), Array.from({ length: 40 }, next).join('\n'))
  const [requests, results] = [join(folder, 'requests'), join(folder, 'results')]
  const attack = { program: program ?? '', targets: requests, results, rate: 100, seconds: 1 }
  const report = await attacked(attack)
  server.close()
  rmSync(folder, { recursive: true })
  expect(report.requests).toBe(100)
  expect(received).toHaveLength(100)
  expect(new Set(received.map(({ headers }) => headers['x-api-key']))).toEqual(new Set(['key']))
  expect(Object.keys(report.status_codes).sort()).toEqual(['200', '304', '503'])
  const missed = missedThresholds(report, 100, thresholdsDefault)
  expect(missed).toContain(`success ratio ${report.success} is below 0.999`)
})
