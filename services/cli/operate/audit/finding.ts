import type { Standard } from '../../../../libs/chain/token.ts'

/** What is checked, in the order of the table. */
export const checkedKinds = [
  'transactions',
  'logs',
  'transfers',
  'words',
  'supplies',
  'counters',
  'balances',
  'holders',
  'owners',
] as const
export type CheckedKind = (typeof checkedKinds)[number]

/**
 * `unknown`: Foldscan shows no value where the node has one. `unanswered`: the node, or the
 * contract, has none to compare with. `moved`: it differed at one block and not at a later one.
 */
export const outcomes = ['equal', 'differing', 'unknown', 'unanswered', 'moved'] as const
export type AuditOutcome = (typeof outcomes)[number]

/** One value that Foldscan shows, beside the node's. */
export interface Finding {
  readonly kind: CheckedKind
  /** Of the token; null for what is of none. */
  readonly standard: Standard | null
  /** Of the API, with the query: to look at it oneself. */
  readonly path: string
  /** Names the value within the path. */
  readonly field: string
  /** Block of the page, and of the node's state. */
  readonly block: number
  /** Null if Foldscan shows none. */
  readonly shown: string | null
  /** Null if the node has none. */
  readonly told: string | null
  readonly outcome: AuditOutcome
}

export type Judged = Pick<Finding, 'shown' | 'told' | 'outcome'>

/** What became of one look at a page. */
export interface PageLook {
  readonly findings: readonly Finding[]
  /** Why there is nothing to compare; null if there is. */
  readonly failure: LookFailure | null
}

/** `side` did not say what was asked; `moved`: the chain did meanwhile. */
export interface LookFailure {
  readonly side: 'foldscan' | 'node' | 'moved'
  readonly reason: string
  readonly path: string
}

/** @param isPromised where Foldscan says that it knows all: a missing value is a difference then */
export function judgedValue(
  shown: string | null,
  told: string | null,
  { isPromised = false }: { readonly isPromised?: boolean } = {},
): Judged {
  if (shown === told) return { shown, told, outcome: 'equal' }
  if (told === null) return { shown, told, outcome: 'unanswered' }
  if (shown === null && !isPromised) return { shown, told, outcome: 'unknown' }
  return { shown, told, outcome: 'differing' }
}
