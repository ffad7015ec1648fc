import type { Store } from '../../ports/store.ts'
import type { CachedRows } from '../../tables/declare/cached-rows.ts'

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
