import { type Component, cast } from './simulated-tables.ts'

/** A question, and the component that its list is made of. */
export interface Target {
  readonly path: string
  readonly list: Component
  /** What must be there for an answer that is no 404. */
  readonly existence?: Component
  /** A row of the list shows that it is there: only an empty list reads it. */
  readonly isShownByRows?: boolean
  readonly isExact?: boolean
  /** Of a list by block, newest first: what changes in this block or a newer one lies before it. */
  readonly before?: number
  /** Oldest first: what changes comes behind the page. */
  readonly isAscending?: boolean
}

/** @param path after that of an address */
export const ofPeople = (path: string, family: string): readonly Target[] =>
  cast.people.map((person) => ({
    path: `/api/v2/addresses/${person}/${path}`,
    list: `${family}|${person}`,
  }))

export const ofTokens = (path: string, family: string): readonly Target[] =>
  cast.tokens.map((token) => ({
    path: `/api/v2/tokens/${token}${path}`,
    list: `${family}|${token}`,
    existence: `token_state.names|${token}`,
    isExact: path === '',
  }))

export const ofHashes = (path: string): readonly Target[] =>
  cast.transactions.map((hash) => ({
    path: `/api/v2/transactions/${hash}/${path}`,
    list: `transfers_by_transaction|${hash}`,
    existence: `transactions|${hash}`,
  }))

export const shownByRows = (of: readonly Target[]): readonly Target[] =>
  of.map((target) => ({ ...target, isShownByRows: true }))

/**
 * Cursors from above every block to just above what changes, each with pages that what stands for
 * good can fill. Where what changes is not on such a page, its place before it is what is told.
 */
const cursors = [99_999_999, 997, 994]

export const fromCursors = (of: readonly Target[], besides = ''): readonly Target[] =>
  of.flatMap((target) =>
    cursors.map((before) => {
      const query = `block_number=${before}&index=0&items_count=1${besides}`
      return { ...target, path: `${target.path}?${query}`, before }
    }),
  )

/** Asks for the standard of the token itself, which the tables make of its name. */
export const filtered = 'type=ERC-20'
