import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { allBenchmarks } from './all-benchmarks.ts'
import type { Benchmark, Size } from './benchmark.ts'
import type { BenchmarkResult } from './report/result.ts'
import { resultTable } from './report/result-table.ts'
import { runBenchmark, saveResult } from './run-benchmark.ts'

const count = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('must be an integer above 0')
}

const flagOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const line = (text: string) => process.stdout.write(`${text}\n`)

const given = z.looseObject({ quick: z.boolean().optional(), save: z.boolean().optional() })

async function runOne(benchmark: Benchmark, options: Readonly<Record<string, unknown>>) {
  const { quick = false, save = false } = given.parse(options)
  if (quick && save)
    throw new Error('results of the quick form are not saved: drop --quick or --save')
  const sizeOf = ([name, size]: [string, Size]): [string, number] => {
    const chosen = options[name]
    return [name, typeof chosen === 'number' ? chosen : quick ? size.quick : size.full]
  }
  const sizes = Object.fromEntries(Object.entries(benchmark.sizes).map(sizeOf))
  const result = await runBenchmark(benchmark, sizes)
  line(resultTable(quick ? withoutGoals(result) : result))
  if (save) await saveResult(result)
}

/** Sizes of the quick form say nothing about speed. */
const withoutGoals = (result: BenchmarkResult): BenchmarkResult => ({
  ...result,
  figures: result.figures.map(({ goal: _, ...figure }) => figure),
})

type Run = (benchmark: Benchmark, flags: { quick: boolean; save: boolean }) => Promise<void>

/** In a process of its own: memory and failures of one do not reach the next. */
const runAlone: Run = async ({ name }, { save }) => {
  const script = fileURLToPath(import.meta.url)
  const flags = save ? ['--save'] : []
  const child = spawn(process.execPath, [...process.execArgv, script, name, ...flags], {
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`exit ${code}`)
}

/** Quick forms run in this process: loading the sources takes longer than some of them. */
async function runAll({ quick = false, save = false, engineOnly = false }) {
  const run: Run = quick ? runOne : runAlone
  const failed: string[] = []
  for (const benchmark of allBenchmarks) {
    const { name, needs, runsAlone } = benchmark
    if (runsAlone !== undefined) {
      line(`${name}: left out, as ${runsAlone}`)
      continue
    }
    if (engineOnly && needs === 'cluster') continue
    const startedAt = performance.now()
    const failure = await run(benchmark, { quick, save }).then(
      () => null,
      (error: unknown) => error,
    )
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    if (failure !== null) {
      failed.push(name)
      process.stderr.write(`${inspect(failure)}\n`)
    }
    line(`${name}: ${failure === null ? 'answers checked' : `FAILED, ${failure}`}, ${seconds} s\n`)
  }
  if (failed.length === 0) return
  line(`failed: ${failed.join(', ')}`)
  process.exitCode = 1
}

const program = new Command('bench').description(
  'Figures compared with those of bare parts; answers are checked, and only a wrong one is a failure',
)

program
  .command('list')
  .description('all benchmarks with what they measure')
  .action(() => {
    for (const { name, about } of allBenchmarks) line(`${name.padEnd(12)} ${about}`)
  })

program
  .command('all')
  .description('one after the other')
  .option('--quick', 'smallest form, which checks answers; ten minutes on two cores')
  .option('--save', 'write the results to benchmarks/results')
  .option('--engine-only', 'without those that start Kafka')
  .action(runAll)

for (const benchmark of allBenchmarks) {
  const command = program
    .command(benchmark.name)
    .description(benchmark.about)
    .option('--quick', 'smallest form, which checks answers')
    .option('--save', 'write the result to benchmarks/results')
  for (const [name, { about, full, quick }] of Object.entries(benchmark.sizes)) {
    command.option(`--${flagOf(name)} <count>`, `${about} (default ${full}, quick ${quick})`, count)
  }
  command.action((options: Readonly<Record<string, unknown>>) => runOne(benchmark, options))
}

await program.parseAsync()
