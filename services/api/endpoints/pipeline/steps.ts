import type { Address } from '../../../../libs/chain/hex.ts'
import type { TokenFacts } from '../../../../libs/presenters/facts.ts'
import type { Lookups } from '../../../../libs/presenters/lookups.ts'
import type { Row } from '../../../../libs/tables/declare/table.ts'
import type { tokenState } from '../../../../libs/tables/tables/tokens.ts'
import type { Template } from '../../response/splices.ts'
import type { Ordering } from '../../rows/rate-ordering.ts'
import type { References } from '../../rows/references.ts'
import type { Read } from '../../rows/tracked-read.ts'

/** What `list` reads by; all of it is recorded as what the page depends on. */
export interface Reader {
  /** Runs a question. */
  readonly read: Read
  /** Only names and standards are current: the stats in these rows may be stale. */
  readonly tokenStates: (
    tokens: readonly Address[],
  ) => Promise<ReadonlyMap<Address, Row<typeof tokenState>>>
  /** The same for off-chain facts. */
  readonly tokenFacts: (tokens: readonly Address[]) => Promise<ReadonlyMap<Address, TokenFacts>>
  /** Looks up all that is shown of it: for pages that have nothing else to prove it by. */
  readonly isToken: (address: Address) => Promise<boolean>
  /** Rates that order balances on the page after a cursor; null: on the first page. */
  readonly ordering: (after: { readonly mark: number } | null) => Promise<Ordering>
}

/** Of an endpoint: its subject and the requested page. */
export interface Requested<S, P> {
  readonly subject: S
  readonly requested: P
}

/** What `list` found: the rows of a page, and what else belongs to it. */
export type Skeleton<K, R> = K & {
  /** In their order; of a list also the first one of the next page. */
  readonly rows: readonly R[]
}

/** Of all answers of a process. */
export interface AnswerForms {
  readonly chainId: number
  /** Whether two fields have the form of the published schema (contract 70). */
  readonly publishedTypes: boolean
}

/** What presenting gets: nothing in it can read. */
export interface Hydrated<P, K, R> extends AnswerForms {
  readonly requested: P
  readonly skeleton: Skeleton<K, R>
  /** The rows that were hydrated: fewer than listed where their references are too much. */
  readonly shown: readonly R[]
  readonly lookups: Lookups
}

interface AnswerOptions {
  /** In addition to those of every response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the head's block is used in splices only: see `splices.ts`. */
  readonly isSpliced?: boolean
  /** All times of the head, in seconds, at which the body changes. */
  readonly transitionTimes?: readonly number[]
}

/** An object to serialize or, for long bodies, a rendered template. */
export type Answer = AnswerOptions & ({ readonly body: unknown } | { readonly template: Template })

/** What an endpoint makes of a request. */
export type Outcome = Answer | 'not found'

/** The work of an endpoint, in this order. */
export interface Steps<S, P, K, R> {
  /** Reads the rows of the requested page. */
  readonly list: (request: Requested<S, P>, reader: Reader) => Promise<Skeleton<K, R> | 'not found'>
  /** What these rows refer to. */
  readonly hydrate: (rows: readonly R[], skeleton: Skeleton<K, R>) => References
  /** Stats of tokens that are looked up: throttled by default. */
  readonly stats?: 'exact'
}

/** Of an endpoint that has no pages. */
export interface PageSteps<S, P, K, R> extends Steps<S, P, K, R> {
  readonly present: (hydrated: Hydrated<P, K, R>) => Outcome | Promise<Outcome>
}

/** Of one with pages: `{"items": [...], "next_page_params": ...}`. */
export interface ListSteps<S, P, K, R> extends Steps<S, P, K, R> {
  /**
   * Cost of a row: the bytes of a body that take as long. Called once for each row, in their order,
   * before anything is hydrated: the page ends where they are more than `pageCostMax`.
   */
  readonly costOf?: (skeleton: Skeleton<K, R>) => (row: R) => number
  readonly present: {
    readonly item: (row: R, hydrated: Hydrated<P, K, R>) => unknown
    readonly cursorAfter: (page: CutPage<R>, hydrated: Hydrated<P, K, R>) => object | null
    readonly options?: (shown: readonly R[], skeleton: Skeleton<K, R>) => AnswerOptions
  }
}

/** A page that is not the last one. */
export interface CutPage<R> {
  readonly shown: readonly R[]
  readonly last: R
  /** The first row of the next page. */
  readonly next: R
}
