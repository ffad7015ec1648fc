import type { z } from 'zod'
import { type Address, address, type Hash, hash } from '../../../../libs/chain/hex.ts'
import { type Fault, fault } from '../../../../libs/presenters/errors.ts'
import type { TokenFacts } from '../../../../libs/presenters/facts.ts'
import type { Lookups } from '../../../../libs/presenters/lookups.ts'
import type { Endpoint } from '../../../../libs/presenters/open-api.ts'
import {
  type Declared,
  pathFault,
  queryValues,
  readQuery,
} from '../../../../libs/presenters/parameters.ts'
import type { Row } from '../../../../libs/tables/declare/table.ts'
import type { tokenState } from '../../../../libs/tables/tables/tokens.ts'
import type { Template } from '../../response/splices.ts'
import type { Ordering } from '../../rows/rate-ordering.ts'
import type { References } from '../../rows/references.ts'
import type { Read } from '../../rows/tracked-read.ts'

/** What an answer is made from: the tables, and lookups of what their rows refer to. */
export interface Reader {
  /** Runs a question and records what its result depends on. */
  readonly read: Read
  /** @param stats of tokens: throttled by default. */
  readonly lookUp: (references: References, stats?: 'exact' | 'throttled') => Promise<Lookups>
  /** Only names and standards are current: the stats in these rows may be stale. */
  readonly tokenStates: (
    tokens: readonly Address[],
  ) => Promise<ReadonlyMap<Address, Row<typeof tokenState>>>
  /** The same for off-chain facts. */
  readonly tokenFacts: (tokens: readonly Address[]) => Promise<ReadonlyMap<Address, TokenFacts>>
  /** Rates that order balances on the page after a cursor; null: on the first page. */
  readonly ordering: (after: { readonly mark: number } | null) => Promise<Ordering>
  readonly chainId: number
  /** Whether two fields have the form of the published schema (contract 70). */
  readonly publishedTypes: boolean
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

/** A request with valid parameters. */
export interface ParsedRequest {
  /** Cache key of the page: equal for equal requests, however they were spelled. */
  readonly key: string
  /** Whether the cursor was above the head: at another head the request may be another page. */
  readonly isAboveHead: boolean
  readonly answer: (reader: Reader) => Promise<Outcome>
}

/** An endpoint and how it is answered. */
export interface Route<D extends Declared = Declared> extends Endpoint<D> {
  /**
   * Checks path, then query.
   * @param headBlock cursors above it are one place; by default none is
   * @returns the request, or each fault
   */
  readonly parse: (
    subject: string,
    query: string,
    headBlock?: number,
  ) => ParsedRequest | { faults: readonly Fault[] }
}

/** Blocks whose rows may be in the tables, and in cursors, before the head is announced. */
export const unannouncedBlocksMax = 64

/**
 * What a cursor above the head counts as in a page's key: all numbers there name the same page, and
 * each would be another entry of the caches.
 */
function placeAboveHead(parameters: object, headBlock: number) {
  const block: unknown = Reflect.get(parameters, 'block_number')
  const isAbove = typeof block === 'number' && block > headBlock + unannouncedBlocksMax
  if (!isAbove) return null
  const index = Reflect.get(parameters, 'index') === null ? {} : { index: 0 }
  return { block_number: Number.MAX_SAFE_INTEGER, ...index }
}

const keyOf = (path: string, subject: string, requested: object): string =>
  JSON.stringify([path, subject, requested], (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )

/** An endpoint with subjects `S` and pages `P`. */
interface RouteOptions<S, D extends Declared, P extends object>
  extends Omit<Endpoint<D>, 'subject'> {
  /**
   * The requested page: filters, cursor and size, without ignored parameters. The answer gets
   * no other parameters, so that the cache key contains exactly what it depends on.
   */
  readonly pageRequest: (parameters: z.output<D>, subject: S) => P
  readonly answer: (
    request: { readonly subject: S; readonly requested: P },
    reader: Reader,
  ) => Promise<Outcome>
}

/** Most requests have no query: they share its parameters, so nothing may change these. */
function readOnceWithoutQuery<D extends Declared>(parameters: D) {
  const read = (query: string) => readQuery(parameters, queryValues(query))
  const withoutQuery = read('')
  if ('parameters' in withoutQuery) Object.freeze(withoutQuery.parameters)
  return (query: string) => (query === '' ? withoutQuery : read(query))
}

function route<S extends string, D extends Declared, P extends object>(
  { pageRequest, answer, ...declared }: RouteOptions<S, D, P>,
  { kind, subjectOf }: { kind: Endpoint<D>['subject']; subjectOf: (text: string) => S },
): Route<D> {
  const endpoint = { ...declared, subject: kind }
  const pointer = `${kind}_hash_param`
  const read = readOnceWithoutQuery(endpoint.parameters)
  return {
    ...endpoint,
    parse(text, query, headBlock = Number.POSITIVE_INFINITY) {
      const detail = pathFault(kind, text)
      if (detail !== null) return { faults: [fault(pointer, detail)] }
      const parsed = read(query)
      if ('faults' in parsed) return parsed
      const subject = subjectOf(text)
      const above = placeAboveHead(parsed.parameters, headBlock)
      const requested = pageRequest(parsed.parameters, subject)
      const named =
        above === null ? requested : pageRequest({ ...parsed.parameters, ...above }, subject)
      return {
        isAboveHead: above !== null,
        key: keyOf(endpoint.path, subject, named),
        answer: (reader) => answer({ subject, requested }, reader),
      }
    },
  }
}

/** A route whose path names an address. */
export const addressRoute = <D extends Declared, P extends object>(
  options: RouteOptions<Address, D, P>,
): Route<D> => route(options, { kind: 'address', subjectOf: address })

/** A route whose path names a transaction. */
export const transactionRoute = <D extends Declared, P extends object>(
  options: RouteOptions<Hash, D, P>,
): Route<D> => route(options, { kind: 'transaction', subjectOf: hash })
