import type { Store } from '../../ports/store.ts'
import type { AnnouncedTable, TableOptions } from '../../tables/declare/table.ts'
import { batch, type SharedRead } from './batch.ts'
import type { RunOptions } from './run-options.ts'

/** A page of a list by block: it can never change once all its blocks are old enough. */
export interface BlockPage {
  readonly order: 'asc' | 'desc'
  /** The cursor; null: from the start of the list. */
  readonly after: { readonly blockNumber: number } | null
  /** Rows of the page, and the first of the next one. */
  readonly limit: number
  readonly rows: readonly { readonly blockNumber: number }[]
}

interface DeclaredQuestion<O, R> {
  /** The result is stale once a change of this table is announced, for one of the subjects. */
  readonly table: AnnouncedTable
  readonly subjects: (options: O) => readonly string[]
  /** The page that was read, for lists by block; null if the options ask for another order. */
  readonly blockPage?: (options: O, result: R) => BlockPage | null
  /** How concurrent reads share a query; without it each is read alone. */
  readonly batch?: SharedRead<O, R>
}

interface QuestionOptions<O, R> extends Omit<DeclaredQuestion<O, R>, 'table'> {
  /** The table that is read, or of several tables with one `invalidatedWith` any. */
  readonly table: AnnouncedTable & Pick<TableOptions<object, object>, 'invalidatedWith'>
  readonly read: (store: Store, options: O, run: RunOptions) => Promise<R>
}

/** A read of the tables for an answer, with what its result depends on. */
export interface Question<O, R> extends DeclaredQuestion<O, R> {
  (store: Store, options: O, run?: Partial<RunOptions>): Promise<R>
}

/**
 * Declares a question: calling it reads a store, and the API's reader records what it names.
 * @throws if changes of its table are not announced
 */
export function question<O, R>(options: QuestionOptions<O, R>): Question<O, R> {
  const { read, table, ...declared } = options
  const announced = table.invalidatedWith ?? table
  if (announced === 'nothing') throw new Error(`${table.name} is not read for answers`)
  const run: (...given: Parameters<Question<O, R>>) => Promise<R> = (store, options, given = {}) =>
    read(store, options, {
      knownFrom: given.knownFrom ?? 0,
      subjectRows: given.subjectRows ?? ((rows, subjects) => rows.read(store, subjects)),
    })
  return Object.assign(run, { ...declared, table: announced })
}

interface KeyedQuestionOptions<K, S extends string, V> {
  readonly table: QuestionOptions<readonly K[], ReadonlyMap<S, V>>['table']
  readonly subjects: (keys: readonly K[]) => readonly string[]
  /** The key in the result. */
  readonly idOf: (key: K) => S
  readonly read: (store: Store, keys: readonly K[], run: RunOptions) => Promise<ReadonlyMap<S, V>>
}

/** Keys of a query that several reads share: those of one statement (`keysPerQueryMax`). */
const sharedKeysMax = 1_000

/** Declares a question for rows by key: concurrent reads share a query. */
export function keyedQuestion<K, S extends string, V>(
  options: KeyedQuestionOptions<K, S, V>,
): Question<readonly K[], ReadonlyMap<S, V>> {
  const { idOf } = options
  const keyed: Question<readonly K[], ReadonlyMap<S, V>> = question({
    ...options,
    batch: batch({
      keysOf: (keys: readonly K[]) => keys,
      idOf,
      read: (store, keys, run) => keyed(store, keys, run),
      keysMax: sharedKeysMax,
      resultOf: (found, keys): ReadonlyMap<S, V> => partOf(found, keys.map(idOf)),
    }),
  })
  return keyed
}

function partOf<S extends string, V>(
  found: ReadonlyMap<S, V | null>,
  ids: readonly S[],
): ReadonlyMap<S, V> {
  const part = new Map<S, V>()
  for (const id of ids) {
    const value = found.get(id)
    if (value !== undefined && value !== null) part.set(id, value)
  }
  return part
}
