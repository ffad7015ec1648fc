import type { Cluster } from './cluster.ts'
import type { Figure } from './report/result.ts'
import type { Workspace } from './workspace.ts'

/** A number that a benchmark can be run with; it is also an option of the command line. */
export interface Size {
  readonly about: string
  readonly full: number
  /** In the form that only checks answers: seconds, not minutes. */
  readonly quick: number
}

export type Sizes = Readonly<Record<string, Size>>

export interface BenchmarkContext {
  /** Writes a line to stderr. */
  progress(text: string): void
  /** The embedded engine, opened once; the runner ends it. */
  workspace(): Promise<Workspace>
  /** Kafka, ClickHouse and Redis, opened once; the runner ends them. */
  cluster(): Promise<Cluster>
}

export interface Benchmark<S extends Sizes = Sizes> {
  readonly name: string
  /** One sentence. */
  readonly about: string
  /** How it measures, what the baseline is, which answers it checks. */
  readonly method: string
  /** What a reader may not conclude from its figures. */
  readonly limits: string
  readonly seed: number | null
  /** Servers that it starts; the workspace belongs to the engine. */
  readonly needs: 'engine' | 'cluster' | 'node'
  readonly sizes: S
  /** Why `all` leaves it out: then it is run by its name only. */
  readonly runsAlone?: string
  /** @throws if an answer is wrong. Never because something was slow. */
  run(
    sizes: { readonly [K in keyof S]: number },
    context: BenchmarkContext,
  ): Promise<readonly Figure[]>
}

/** Infers the names of the sizes. */
export const benchmark = <S extends Sizes>(definition: Benchmark<S>): Benchmark<S> => definition
