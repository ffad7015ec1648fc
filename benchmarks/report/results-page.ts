import type { Benchmark } from '../benchmark.ts'
import type { BenchmarkResult } from './result.ts'
import { cellsOf, columnsOfFigures } from './result-table.ts'

const introduction = `# Benchmarks

Printed by \`npm run print\` from the declarations in this folder and from \`benchmarks/results\`; a test
fails when it is stale.

    npm run bench -- list
    npm run bench -- NAME [--quick] [--save] [sizes]
    npm run bench -- all --quick

Each benchmark compares answers with an independent computation before it prints a figure, and ends
with exit code 1 if one differs or if there was none to compare; it never fails because
something was slow. The quick form checks answers only (CI runs it), so it has no goals. With
\`--save\` the result is written to \`NAME.json\` there, with machine, load, sizes, seed and commit,
and as a picture.

- **ratio**: the value divided by the baseline, which is named in brackets: bare parts that do the
  same work, the peer, the quiet time, the first page, the smallest database or the first quarter,
  always of the same run. Ratios of one run can be compared with those of another; absolute figures
  only on an idle machine of the same kind.
- **of bare**: for processor time, that of the bare parts divided by that of Foldscan; for rates, that
  of Foldscan divided by that of the bare parts. 1 is as good as bare, 0.8 of processor time takes
  1.25 times as much.
- **spread**: smallest and greatest of the runs (their number in brackets); the value is their
  median.
- **checked**: answers or rows that were compared; the method says with what.
- **load**: average over one minute at the start and at the end. Above the number of cores other work
  ran beside the benchmark, or its own load did.
- In pictures the dashed line is the goal, the grey bar the baseline: green met, red missed, blue no
  goal.
`

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replace(/ {2,}/g, ' ')

const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

function resultOf({ benchmark, takenAt, commit, machine, load, ...rest }: BenchmarkResult): string {
  const sizes = Object.entries(rest.sizes).map(([name, size]) => `${flagOf(name)} ${size}`)
  return [
    `${takenAt.slice(0, 16).replace('T', ' ')} UTC, commit \`${commit}\`: ${machine.cores} x ${machine.cpu}, ` +
      `${machine.memoryGiB} GiB, Node ${machine.node}, ClickHouse ${machine.clickhouse ?? 'not used'}, ` +
      `load ${load.start} to ${load.end}.`,
    '',
    `    npm run bench -- ${[benchmark, ...sizes].join(' ')}`,
    '',
    rowOf(columnsOfFigures),
    rowOf(columnsOfFigures.map(() => '---')),
    ...rest.figures.map((figure) => rowOf(cellsOf(figure))),
    '',
    `![${benchmark}](results/${benchmark}.svg)`,
  ].join('\n')
}

const servers: Readonly<Record<Benchmark['needs'], string>> = {
  engine: 'the embedded engine',
  cluster: 'Kafka, ClickHouse and Redis',
  node: 'anvil',
}

function sectionOf(benchmark: Benchmark, result: BenchmarkResult | undefined): string {
  const { name, about, method, limits, needs, runsAlone } = benchmark
  return [
    `## ${name}`,
    '',
    `Measures ${about}.`,
    '',
    // Of a saved result, its own: the method may have changed since.
    `- Method: ${result?.method ?? method}`,
    `- Not shown: ${limits}`,
    `- Starts: ${servers[needs]}.`,
    ...(runsAlone === undefined ? [] : [`- Not part of \`all\`: ${runsAlone}.`]),
    '',
    result === undefined ? 'No result is saved.' : resultOf(result),
    '',
  ].join('\n')
}

/** The text of `benchmarks/README.md`; `sections` follow the benchmarks. */
export function resultsPage(
  benchmarks: readonly Benchmark[],
  results: ReadonlyMap<string, BenchmarkResult>,
  sections: readonly string[],
): string {
  const parts = benchmarks.map((one) => sectionOf(one, results.get(one.name)))
  return [introduction, ...parts, ...sections].join('\n')
}
