import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { allBenchmarks } from '../../benchmarks/all-benchmarks.ts'
import { runLength } from '../support/run-length.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../benchmarks/main.ts', import.meta.url))
const loader = new URL('../../services/cli/strip-types.mjs', import.meta.url).href
const bench = (...options: string[]) =>
  run(process.execPath, ['--import', loader, script, ...options], { maxBuffer: 1 << 26 })

const fastest = ['pages', 'fold']
const names = allBenchmarks
  .filter(({ runsAlone }) => runsAlone === undefined)
  .map(({ name }) => name)
  .filter((name) => runLength.benchmarks === 'every' || fastest.includes(name))

/** Beside tests that keep both cores busy, one takes five minutes that takes one alone. */
const timeout = 15 * 60_000

describe('the quick form of a benchmark', { timeout }, () => {
  it.each(names)('%s checks its answers', async (name) => {
    const { stdout } = await bench(name, '--quick')
    expect(stdout).toMatch(new RegExp(`^${name}: `))
    // Sizes of the quick form say nothing about speed.
    expect(stdout).not.toMatch(/\b(?:met|missed)\b/)
  })

  it('lists every benchmark', async () => {
    const { stdout } = await bench('list')
    for (const { name, about } of allBenchmarks)
      expect(stdout).toContain(`${name.padEnd(12)} ${about}`)
  })

  it('is not saved', async () => {
    await expect(bench('fold', '--quick', '--save')).rejects.toThrow('drop --quick or --save')
  })
})
