import { readdirSync, readFileSync } from 'node:fs'
import { type BenchmarkResult, benchmarkResult } from './result.ts'

/** Where `--save` writes NAME.json and NAME.svg. */
export const resultsFolder = new URL('../results/', import.meta.url)

/** By name of the benchmark. */
export function savedResults(): ReadonlyMap<string, BenchmarkResult> {
  const files = readdirSync(resultsFolder).filter((file) => file.endsWith('.json'))
  const results = files
    .sort()
    .map((file) =>
      benchmarkResult.parse(JSON.parse(readFileSync(new URL(file, resultsFolder), 'utf8'))),
    )
  return new Map(results.map((result) => [result.benchmark, result]))
}
