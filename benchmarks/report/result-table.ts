import { type BenchmarkResult, type Figure, isMet } from './result.ts'

export const columnsOfFigures = [
  'figure',
  'value',
  'baseline',
  'ratio',
  'goal',
  '',
  'spread',
  'checked',
] as const

export const number = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 4 })

/** The cells of a figure, in the order of `columnsOfFigures`. */
export function cellsOf(figure: Figure): readonly string[] {
  const { name, value, unit, baseline, ratio, goal, spread, checkedAnswers } = figure
  const met = isMet(figure)
  return [
    name,
    `${number(value)} ${unit}`,
    baseline ? `${number(baseline.value)} (${baseline.part})` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    goal ? `${goal.of} ${goal.bound} ${number(goal.limit)}` : '',
    met === undefined ? '' : met ? 'met' : 'missed',
    spread ? `${number(spread.min)} to ${number(spread.max)} (${spread.runs})` : '',
    number(checkedAnswers),
  ]
}

/** A table for a terminal. */
export function resultTable(result: BenchmarkResult): string {
  const { benchmark, machine, load, sizes, seed, method } = result
  const rows = [columnsOfFigures, ...result.figures.map(cellsOf)]
  const widths = columnsOfFigures.map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const ofSizes = Object.entries(sizes).map(([name, size]) => `${name} ${size}`)
  return [
    `${benchmark}: ${method}`,
    `machine: ${machine.cores} x ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}, ` +
      `ClickHouse ${machine.clickhouse ?? 'not used'}; load ${load.start} to ${load.end}`,
    `sizes: ${[...ofSizes, ...(seed === null ? [] : [`seed ${seed}`])].join(', ')}`,
    '',
    ...lines,
    '',
  ].join('\n')
}
