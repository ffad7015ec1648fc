import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'

const run = promisify(execFile)
const tools = fileURLToPath(new URL('tools/', import.meta.url))
const script = fileURLToPath(new URL('../../benchmarks/load/mixed-traffic.js', import.meta.url))
const digest = createHash('sha256')
  .update(readFileSync(join(tools, 'go.sum')))
  .digest('hex')
const folder = join(stackHome, `k6-${digest.slice(0, 12)}`)
/** Compiled from Go's module proxy: three minutes of one core, once. */
const buildTimeoutMs = 20 * 60_000

const inspected = z.object({
  scenarios: z.object({
    mixed: z.object({
      executor: z.string(),
      stages: z.array(z.object({ target: z.number(), duration: z.string() })),
    }),
  }),
  thresholds: z.record(z.string(), z.unknown()),
})

/** What k6 reads from the script, its imports and its file of subjects. */
async function inspect(...options: string[]) {
  const { stdout } = await run(join(folder, 'k6'), ['inspect', ...options, script])
  return inspected.parse(JSON.parse(stdout))
}

/** @returns whether k6 is there; without Go its tests are skipped. @throws under CI=true instead */
async function isBuilt(): Promise<boolean> {
  const build = ['build', '-trimpath', '-ldflags=-s -w', '-o']
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  const options = { cwd: tools, timeout: buildTimeoutMs, env }
  try {
    await buildOnce(folder, (own) => run('go', [...build, `${own}/`, 'go.k6.io/k6'], options))
    return true
  } catch (error) {
    if (process.env.CI === 'true') throw error
    process.stdout.write(`\nSkipped the tests of the script for k6: ${String(error)}\n\n`)
    return false
  }
}

describe.skipIf(!(await isBuilt()))('the script for k6', () => {
  it('has stages of the rate that it is started with, and thresholds', async () => {
    const { scenarios, thresholds } = await inspect('-e', 'RATE=2000', '-e', 'MINUTES=7')
    expect(scenarios.mixed.executor).toBe('ramping-arrival-rate')
    expect(scenarios.mixed.stages).toContainEqual({ target: 2_000, duration: '7m0s' })
    expect(Object.keys(thresholds)).toContain('http_req_duration{page:first}')
  })

  it('is refused with a file of subjects that is not there', async () => {
    await expect(inspect('-e', 'TARGETS=./nothing.json')).rejects.toThrow('nothing.json')
  })
})
