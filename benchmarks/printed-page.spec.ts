import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allBenchmarks } from './all-benchmarks.ts'
import { printedPage } from './printed-page.ts'
import { resultChart } from './report/result-chart.ts'
import { resultsFolder, savedResults } from './report/saved-results.ts'

const names = allBenchmarks.map(({ name }) => name)

describe('the page about benchmarks', () => {
  it('is what npm run print writes', () =>
    expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toBe(printedPage()))

  it('has a section for each benchmark', () => {
    for (const name of names) expect(printedPage()).toContain(`\n## ${name}\n`)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('saved results', () => {
  it('are those of benchmarks that exist', () =>
    expect([...savedResults().keys()].filter((name) => !names.includes(name))).toEqual([]))

  it.each([...savedResults()])('%s: has the picture of its figures', (name, result) =>
    expect(readFileSync(new URL(`${name}.svg`, resultsFolder), 'utf8')).toBe(resultChart(result)),
  )
})
