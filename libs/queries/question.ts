import type { Store } from '../ports/store.ts'
import type { CachedRows } from '../tables/cached-rows.ts'

/** A page of a list by block: it can never change once all its blocks are old enough. */
export interface BlockPage {
  readonly order: 'asc' | 'desc'
  /** The cursor; null: from the start of the list. */
  readonly after: { readonly blockNumber: number } | null
  /** Rows of the page, and the first of the next one. */
  readonly limit: number
  readonly rows: readonly { readonly blockNumber: number }[]
}

/** Rows of a table of the shared cache, by the subject of its announcements. */
export interface SubjectRows<S extends string, R> {
  readonly table: { readonly name: string }
  readonly cached: CachedRows<R>
  /** Subjects without rows may be missing. */
  readonly read: (store: Store, subjects: readonly S[]) => Promise<ReadonlyMap<S, readonly R[]>>
}

export type ReadSubjectRows = <S extends string, R>(
  rows: SubjectRows<S, R>,
  subjects: readonly S[],
) => Promise<ReadonlyMap<S, readonly R[]>>

/** What a process knows besides the tables. */
export interface RunOptions {
  /** Position of the log's last hole: rows written before it are ignored. */
  readonly knownFrom: number
  /** Reads rows from the shared cache where there is one, else from the store. */
  readonly subjectRows: ReadSubjectRows
}

interface QuestionOptions<O, R> {
  /** The result is stale once a change of this table is announced, for one of the subjects. */
  readonly table: { readonly name: string }
  readonly subjects: (options: O) => readonly string[]
  readonly read: (store: Store, options: O, run: RunOptions) => Promise<R>
  /** The page that was read, for lists by block; null if the options ask for another order. */
  readonly blockPage?: (options: O, result: R) => BlockPage | null
}

/** A read of the tables for an answer, with what its result depends on. */
export interface Question<O, R> extends Omit<QuestionOptions<O, R>, 'read'> {
  (store: Store, options: O, run?: Partial<RunOptions>): Promise<R>
}

/** Declares a question: calling it reads a store, and the API's reader records what it names. */
export function question<O, R>(options: QuestionOptions<O, R>): Question<O, R> {
  const { read, ...declared } = options
  const run: (...given: Parameters<Question<O, R>>) => Promise<R> = (store, options, given = {}) =>
    read(store, options, {
      knownFrom: given.knownFrom ?? 0,
      subjectRows: given.subjectRows ?? ((rows, subjects) => rows.read(store, subjects)),
    })
  return Object.assign(run, declared)
}
