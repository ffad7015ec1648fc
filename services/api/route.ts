import type { z } from 'zod'
import { type Address, address, type Hash, hash } from '../../libs/chain/hex.ts'
import type { Endpoint } from '../../libs/presenters/endpoints.ts'
import { type Fault, fault } from '../../libs/presenters/errors.ts'
import type { TokenFacts } from '../../libs/presenters/facts.ts'
import type { Known } from '../../libs/presenters/known.ts'
import { pathFault } from '../../libs/presenters/parameters/forms.ts'
import { type Declared, queryValues, readQuery } from '../../libs/presenters/parameters/query.ts'
import type { Row } from '../../libs/tables/table.ts'
import type { tokenState } from '../../libs/tables/token-state.ts'
import type { Asks } from './asks.ts'
import type { Needs } from './needs.ts'
import type { Ordering } from './rate-ordering.ts'
import type { Template } from './splices.ts'

/** What an answer may use: the tables, and all that rows name. */
export interface Reader {
  readonly asks: Asks
  /** @param figures of tokens: in steps of chain time, unless told otherwise. */
  readonly know: (needs: Needs, figures?: 'exact' | 'in steps') => Promise<Known>
  /** Of tokens, what never changes but by a correction: their figures may be old. */
  readonly tokenStates: (
    tokens: readonly Address[],
  ) => Promise<ReadonlyMap<Address, Row<typeof tokenState>>>
  /** The same of what is said of them elsewhere. */
  readonly tokenFacts: (tokens: readonly Address[]) => Promise<ReadonlyMap<Address, TokenFacts>>
  /** What orders balances on a page after a place; null: on the first page. */
  readonly ordering: (after: { readonly mark: number } | null) => Promise<Ordering>
  readonly chainId: number
}

interface Told {
  /** Besides those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>
  /** That every use of the head's block is a splice: see `splices.ts`. */
  readonly isSpliced?: boolean
  /** Times of the head, in seconds, at which the body becomes another; all of them. */
  readonly turns?: readonly number[]
}

/** What is answered: as an object, or, where it may be long, as it was rendered. */
export type Answer = Told & ({ readonly body: unknown } | { readonly template: Template })

/** What an endpoint makes of a request. */
export type Outcome = Answer | 'not found'

/** A question whose parameters are sound, ready to be asked. */
export interface Question {
  /** What a cached answer is named by: equal for equal questions, however they were spelled. */
  readonly name: string
  readonly answer: (reader: Reader) => Promise<Outcome>
}

export interface Route {
  readonly path: string
  /** Checks path, then query. @returns the question, or each fault. */
  readonly read: (subject: string, query: string) => Question | { faults: readonly Fault[] }
}

const nameOf = (path: string, subject: string, asked: object): string =>
  JSON.stringify([path, subject, asked], (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )

/** How an endpoint of subjects `S` is answered. */
interface Answering<S, D extends Declared, Q extends object> {
  readonly endpoint: Endpoint<D>
  /**
   * What is asked for: filters, place and size, without what was sent besides. It is all that the
   * answer sees of the parameters, so that a page is named by all that matters, and by no more.
   */
  readonly pageAsked: (parameters: z.output<D>, subject: S) => Q
  readonly answer: (
    request: { readonly subject: S; readonly asked: Q },
    reader: Reader,
  ) => Promise<Outcome>
}

function route<S extends string, D extends Declared, Q extends object>(
  { endpoint, pageAsked, answer }: Answering<S, D, Q>,
  subjectOf: (text: string) => S,
): Route {
  const pointer = `${endpoint.subject}_hash_param`
  return {
    path: endpoint.path,
    read(text, query) {
      const detail = pathFault(endpoint.subject, text)
      if (detail !== null) return { faults: [fault(pointer, detail)] }
      const values = queryValues(query)
      const read = readQuery(endpoint.parameters, values)
      if ('faults' in read) return read
      const subject = subjectOf(text)
      const asked = pageAsked(read.asked, subject)
      return {
        name: nameOf(endpoint.path, subject, asked),
        answer: (reader) => answer({ subject, asked }, reader),
      }
    },
  }
}

/** A route whose path names an address. */
export const addressRoute = <D extends Declared, Q extends object>(
  answering: Answering<Address, D, Q>,
): Route => route(answering, address)

/** A route whose path names a transaction. */
export const transactionRoute = <D extends Declared, Q extends object>(
  answering: Answering<Hash, D, Q>,
): Route => route(answering, hash)
