import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { recommendedNode, recommendedVersion } from './support/recommended-node.ts'

const top = fileURLToPath(new URL('..', import.meta.url))
const runTimeoutMs = 20 * 60_000
const outputBytesMax = 16 * 1024 * 1024

/** Vitest and all that its tests start, on the Node of the image. @throws if a test fails */
async function testsPass(args: readonly string[]): Promise<string> {
  const vitest = join(top, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await promisify(execFile)(await recommendedNode(), [vitest, 'run', ...args], {
    cwd: top,
    timeout: runTimeoutMs,
    maxBuffer: outputBytesMax,
    env: { ...process.env, NO_COLOR: '1' },
  })
  return stdout
}

it('is the Node of the image', async () => {
  const { stdout } = await promisify(execFile)(await recommendedNode(), ['--version'])
  expect(stdout.trim()).toBe(`v${recommendedVersion()}`)
})

it(
  'runs `up` with its engine, its demo chain and its HTTP server',
  async () => {
    const one = ['test/up/demo.spec.ts', '-t', 'answers all ten endpoints']
    expect(await testsPass(['--project', 'whole', ...one])).toMatch(/Tests +1 passed/)
  },
  runTimeoutMs,
)

it(
  'passes the pure tests of what the image runs',
  async () => {
    expect(await testsPass(['--project', 'pure', 'libs/', 'services/'])).toMatch(
      /Tests +\d+ passed \(\d+\)/,
    )
  },
  runTimeoutMs,
)
