import { describe, expect, it } from 'vitest'
import { type BenchmarkResult, benchmarkResult, figureOf, isMet } from './result.ts'
import { resultChart } from './result-chart.ts'
import { resultTable } from './result-table.ts'

const paired = figureOf({
  name: 'folded <all>',
  unit: 'transfers/s',
  values: [7_000, 9_000, 8_000],
  baseline: { part: 'bare', values: [10_000] },
  goal: { of: 'ratio', bound: 'at least', limit: 0.8 },
  checkedAnswers: 12,
})

const result: BenchmarkResult = benchmarkResult.parse({
  benchmark: 'fold',
  takenAt: '2026-01-01T00:00:00.000Z',
  commit: '0123456789ab',
  machine: { cpu: 'a processor', cores: 2, memoryGiB: 8, node: 'v20.20.2', clickhouse: null },
  load: { start: 0.1, end: 2 },
  method: 'in turn',
  seed: 1,
  sizes: { transfers: 1_000 },
  figures: [paired],
})

describe('a figure', () => {
  it('is the mean of the two in the middle of an even number of runs', () => {
    const even = { name: 'a', unit: 'ms', values: [4, 1, 2, 3], checkedAnswers: 0 }
    expect(figureOf(even).value).toBe(2.5)
  })

  it('is the median of its runs, beside the baseline and the extremes', () =>
    expect(paired).toMatchObject({
      value: 8_000,
      baseline: { part: 'bare', value: 10_000 },
      ratio: 0.8,
      spread: { runs: 3, min: 7_000, max: 9_000 },
    }))

  it('has no spread after one run', () =>
    expect(figureOf({ name: 'a', unit: 'ms', values: [1], checkedAnswers: 0 })).toEqual({
      name: 'a',
      value: 1,
      unit: 'ms',
      checkedAnswers: 0,
    }))

  it('meets a goal at its limit, above it or below it', () => {
    expect(isMet(paired)).toBe(true)
    expect(isMet({ ...paired, ratio: 0.79 })).toBe(false)
    const goal = { of: 'value', bound: 'at most', limit: 300 } as const
    expect(isMet({ ...paired, value: 300, goal })).toBe(true)
    expect(isMet({ ...paired, value: 301, goal })).toBe(false)
    expect(isMet({ ...paired, goal: undefined })).toBeUndefined()
  })
})

describe('a result', () => {
  it('is refused without a machine, a figure or the number of checked answers', () => {
    const { machine: _, ...withoutMachine } = result
    const { checkedAnswers: __, ...unchecked } = paired
    expect(benchmarkResult.safeParse(withoutMachine).success).toBe(false)
    expect(benchmarkResult.safeParse({ ...result, figures: [] }).success).toBe(false)
    expect(benchmarkResult.safeParse({ ...result, figures: [unchecked] }).success).toBe(false)
  })

  it('is printed with its ratio beside its goal', () =>
    expect(resultTable(result).split('\n').at(-2)).toBe(
      'folded <all>  8,000 transfers/s  10,000 (bare)  0.80   ratio at least 0.8  met  7,000 to 9,000 (3)  12',
    ))

  it('is drawn with escaped names, in the colour of its goal', () => {
    const chart = resultChart(result)
    expect(chart).toContain('folded &lt;all&gt;')
    expect(chart).toContain('#2e7d32')
    expect(chart).not.toContain('#c62828')
  })
})
