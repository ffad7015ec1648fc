import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { allBenchmarks } from '../../benchmarks/all-benchmarks.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../benchmarks/main.ts', import.meta.url))
const loader = new URL('../../services/cli/strip-types.mjs', import.meta.url).href
const bench = (...options: string[]) =>
  run(process.execPath, ['--import', loader, script, ...options], { maxBuffer: 1 << 26 })

const names = allBenchmarks
  .filter(({ runsAlone }) => runsAlone === undefined)
  .map(({ name }) => name)

/** Beside tests that keep both cores busy, it takes twice as long as alone. */
const timeout = 20 * 60_000

describe('the quick form of a benchmark', { timeout }, () => {
  let printed = ''
  beforeAll(async () => {
    // A benchmark that failed is named in what was printed, after those that did not.
    const failed = ({ stdout }: { stdout: string }) => ({ stdout })
    printed = (await bench('all', '--quick').catch(failed)).stdout
  }, timeout)

  it.each(names)('%s checks its answers', (name) => {
    expect(printed).toMatch(new RegExp(`^${name}: answers checked`, 'm'))
  })

  it('says nothing about speed', () => {
    expect(printed).not.toMatch(/\b(?:met|missed)\b/)
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
