import { z } from 'zod'

const goal = z.strictObject({
  of: z.enum(['value', 'ratio']),
  bound: z.enum(['at least', 'at most']),
  limit: z.number(),
})

const figure = z.strictObject({
  name: z.string().min(1),
  value: z.number(),
  unit: z.string().min(1),
  /** The same work done by bare parts, in the same run and unit. */
  baseline: z.strictObject({ part: z.string().min(1), value: z.number() }).optional(),
  /** Value divided by the baseline's. */
  ratio: z.number().optional(),
  goal: goal.optional(),
  /** Smallest and greatest of the runs whose median is the value. */
  spread: z.strictObject({ runs: z.int().min(2), min: z.number(), max: z.number() }).optional(),
  /** Answers or rows that were compared with an independent computation; all were equal. */
  checkedAnswers: z.int().min(0),
})

/** What a benchmark writes to `benchmarks/results/NAME.json`. */
export const benchmarkResult = z.strictObject({
  benchmark: z.string().min(1),
  takenAt: z.iso.datetime(),
  commit: z.string().min(7),
  machine: z.strictObject({
    cpu: z.string(),
    cores: z.int().min(1),
    memoryGiB: z.number(),
    node: z.string(),
    clickhouse: z.string().nullable(),
  }),
  /** Load averages of 1 minute, before the first and after the last request. */
  load: z.strictObject({ start: z.number(), end: z.number() }),
  method: z.string().min(1),
  seed: z.int().nullable(),
  sizes: z.record(z.string(), z.number()),
  figures: z.array(figure).min(1),
})

export type Goal = z.infer<typeof goal>
export type Figure = z.infer<typeof figure>
export type BenchmarkResult = z.infer<typeof benchmarkResult>

export interface Measured {
  readonly name: string
  readonly unit: string
  /** Of each run; the figure is their median. */
  readonly values: readonly number[]
  readonly baseline?: { readonly part: string; readonly values: readonly number[] } | undefined
  readonly goal?: Goal | undefined
  readonly checkedAnswers: number
}

/** A figure of one or several runs. */
export function figureOf({ name, unit, values, baseline, goal, checkedAnswers }: Measured): Figure {
  const value = rounded(median(values))
  const base = baseline && rounded(median(baseline.values))
  return {
    name,
    value,
    unit,
    ...(baseline && base !== undefined
      ? { baseline: { part: baseline.part, value: base }, ratio: rounded(value / base) }
      : {}),
    ...(goal ? { goal } : {}),
    ...(values.length > 1
      ? {
          spread: {
            runs: values.length,
            min: rounded(Math.min(...values)),
            max: rounded(Math.max(...values)),
          },
        }
      : {}),
    checkedAnswers,
  }
}

/** @returns undefined without a goal. */
export function isMet({ value, ratio, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined
  const judged = goal.of === 'value' ? value : ratio
  if (judged === undefined) return undefined
  return goal.bound === 'at least' ? judged >= goal.limit : judged <= goal.limit
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [low = Number.NaN, high = low] = [
    sorted[Math.ceil(sorted.length / 2) - 1],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (low + high) / 2
}

/** Four significant digits are more than any run repeats. */
const rounded = (value: number): number => Number(value.toPrecision(4))
