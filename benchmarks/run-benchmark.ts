import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import type { Benchmark, BenchmarkContext } from './benchmark.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { commitNow } from './report/commit-now.ts'
import { type BenchmarkResult, benchmarkResult } from './report/result.ts'
import { resultChart } from './report/result-chart.ts'
import { resultsFolder } from './report/saved-results.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const loadNow = (): number => Number(loadavg()[0]?.toFixed(1))

/** Runs a benchmark and ends the servers that it opened. */
export async function runBenchmark(
  benchmark: Benchmark,
  sizes: Readonly<Record<string, number>>,
): Promise<BenchmarkResult> {
  const opened: { workspace?: Workspace; cluster?: Cluster; clickhouse?: string } = {}
  const context: BenchmarkContext = {
    progress: (text) => void process.stderr.write(`${benchmark.name}: ${text}\n`),
    async workspace() {
      opened.workspace ??= await openWorkspace()
      opened.clickhouse ??= await opened.workspace.version()
      return opened.workspace
    },
    async cluster() {
      opened.cluster ??= await openCluster()
      opened.clickhouse ??= await opened.cluster.version()
      return opened.cluster
    },
  }
  const start = loadNow()
  try {
    const figures = await benchmark.run(sizes, context)
    const { name, method, seed } = benchmark
    return benchmarkResult.parse({
      benchmark: name,
      takenAt: new Date().toISOString(),
      commit: commitNow(),
      machine: {
        cpu: cpus()[0]?.model ?? 'unknown',
        cores: cpus().length,
        memoryGiB: Math.round(totalmem() / 1024 ** 3),
        node: process.version,
        clickhouse: opened.clickhouse ?? null,
      },
      load: { start, end: loadNow() },
      method,
      seed,
      sizes,
      figures,
    })
  } finally {
    await opened.workspace?.end()
    await opened.cluster?.end()
  }
}

/** Writes NAME.json and NAME.svg; `npm run print` then renews the page that shows them. */
export async function saveResult(result: BenchmarkResult): Promise<void> {
  await mkdir(resultsFolder, { recursive: true })
  const { benchmark } = result
  await writeFile(
    new URL(`${benchmark}.json`, resultsFolder),
    `${JSON.stringify(result, null, 2)}\n`,
  )
  await writeFile(new URL(`${benchmark}.svg`, resultsFolder), resultChart(result))
}
