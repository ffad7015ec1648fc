import type { z } from 'zod'
import { type Address, address, type Hash, hash } from '../../../../libs/chain/hex.ts'
import { type Fault, fault } from '../../../../libs/presenters/errors.ts'
import type { Endpoint } from '../../../../libs/presenters/open-api/open-api.ts'
import {
  type Declared,
  pathFault,
  queryValues,
  readQuery,
} from '../../../../libs/presenters/parameters.ts'
import { type AnswerSources, answerList, answerPage } from './answer.ts'
import type { ListSteps, Outcome, PageSteps, Requested } from './steps.ts'

/** A request with valid parameters. */
export interface PageCall {
  /** Cache key of the page: equal for equal requests, however they were spelled. */
  readonly key: string
  /** Whether the cursor was above the head: at another head the request may be another page. */
  readonly isAboveHead: boolean
  readonly answer: (sources: AnswerSources) => Promise<Outcome>
}

/** Kinds of subjects that are sought in the newest blocks. */
export type ExampleKind =
  | 'addresses'
  | 'collectors'
  | 'emitters'
  | 'recipients'
  | 'tokens'
  | 'transactions'

/** A page of an endpoint that is worth opening. */
interface Example {
  readonly what: string
  readonly of: ExampleKind
}

/** An endpoint and how it is answered. */
export interface Route<D extends Declared = Declared> extends Endpoint<D> {
  readonly example: Example
  /**
   * Checks path, then query.
   * @param headBlock cursors above it are one place; by default none is
   * @returns the request, or each fault
   */
  readonly parse: (
    subject: string,
    query: string,
    headBlock?: number,
  ) => PageCall | { faults: readonly Fault[] }
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

/** An endpoint with subjects `S` and pages `P`, besides its steps. */
interface RouteOptions<S, D extends Declared, P extends object>
  extends Omit<Endpoint<D>, 'subject'> {
  readonly example: Example
  /**
   * The requested page: filters, cursor and size, without ignored parameters. The steps get no
   * other parameters, so that the cache key contains exactly what the page depends on.
   */
  readonly pageRequest: (parameters: z.output<D>, subject: S) => P
}

/** Most requests have no query: they share its parameters, so nothing may change these. */
function readOnceWithoutQuery<D extends Declared>(parameters: D) {
  const read = (query: string) => readQuery(parameters, queryValues(query))
  const withoutQuery = read('')
  if ('parameters' in withoutQuery) Object.freeze(withoutQuery.parameters)
  return (query: string) => (query === '' ? withoutQuery : read(query))
}

interface SubjectKind<S> {
  readonly kind: Endpoint<Declared>['subject']
  readonly subjectOf: (text: string) => S
}

function route<S extends string, D extends Declared, P extends object>(
  declared: RouteOptions<S, D, P>,
  { kind, subjectOf }: SubjectKind<S>,
  answer: (request: Requested<S, P>, sources: AnswerSources) => Promise<Outcome>,
): Route<D> {
  const { pageRequest, ...endpoint } = declared
  const pointer = `${kind}_hash_param`
  const read = readOnceWithoutQuery(endpoint.parameters)
  return {
    ...endpoint,
    subject: kind,
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
        answer: (sources) => answer({ subject, requested }, sources),
      }
    },
  }
}

/** Declares routes whose path names a subject of that kind. */
const routesOf = <S extends string>(kind: SubjectKind<S>) => ({
  page: <D extends Declared, P extends object, K, R>(
    options: RouteOptions<S, D, P> & PageSteps<S, P, K, R>,
  ): Route<D> => route(options, kind, (request, sources) => answerPage(options, request, sources)),
  /** Whose answer has pages. */
  list: <D extends Declared, P extends { readonly size: number }, K, R>(
    options: RouteOptions<S, D, P> & ListSteps<S, P, K, R>,
  ): Route<D> => route(options, kind, (request, sources) => answerList(options, request, sources)),
})

export const ofAddress = routesOf<Address>({ kind: 'address', subjectOf: address })
export const ofTransaction = routesOf<Hash>({ kind: 'transaction', subjectOf: hash })
