import { aHash } from '../../../libs/presenters/testing/rows.ts'
import { type Component, cast, clock } from './simulated-tables.ts'

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

const ofAddress = (path: string, family: string): readonly Target[] =>
  cast.people.map((person) => ({
    path: `/api/v2/addresses/${person}/${path}`,
    list: `${family}|${person}`,
  }))

const ofToken = (path: string, family: string): readonly Target[] =>
  cast.tokens.map((token) => ({
    path: `/api/v2/tokens/${token}${path}`,
    list: `${family}|${token}`,
    existence: `token_state.names|${token}`,
    isExact: path === '',
  }))

const ofTransaction = (path: string): readonly Target[] =>
  cast.transactions.map((hash) => ({
    path: `/api/v2/transactions/${hash}/${path}`,
    list: `transfers_by_transaction|${hash}`,
    existence: `transactions|${hash}`,
  }))

const shownByRows = (of: readonly Target[]): readonly Target[] =>
  of.map((target) => ({ ...target, isShownByRows: true }))

/**
 * Cursors from above every block to just above what changes, each with pages that what stands for
 * good can fill. Where what changes is not on such a page, its place before it is what is told.
 */
const cursors = [99_999_999, 997, 994]
const batch = `batch_log_index=4&index_in_batch=1&batch_transaction_hash=${cast.transactions[0]}`

const fromCursor = (of: readonly Target[], besides = ''): readonly Target[] =>
  of.flatMap((target) =>
    cursors.map((before) => {
      const query = `block_number=${before}&index=0&items_count=1${besides}`
      return { ...target, path: `${target.path}?${query}`, before }
    }),
  )

const transactions = ofAddress('transactions', 'transactions_by_address')
const logs = ofAddress('logs', 'logs_by_address')
const transfers = ofToken('/transfers', 'transfers_by_token')

/** Oldest first, from a deep cursor: a page that ends where what changes begins. */
const ascending = transactions.map((target) => ({
  ...target,
  path: `${target.path}?sort=block_number&order=asc&block_number=699&index=9&items_count=1`,
  isAscending: true,
}))
/** The batch lies in the block of its transaction; where that is not there, at the log's place. */
const afterBatch = transfers.map((target) => ({
  ...target,
  path: `${target.path}?block_number=99999999&index=0&${batch}&items_count=1`,
  before: clock.firstBlock - 5,
}))

/** Asks for the standard of the token itself, which the tables make of its name. */
export const filtered = 'type=ERC-20'

/** Questions to all ten endpoints. */
export const targets: readonly Target[] = [
  ...ofAddress('tokens', 'balances_by_value'),
  ...ofAddress('tokens?items_count=1', 'balances_by_value'),
  ...transactions,
  ...fromCursor(transactions),
  ...fromCursor(transactions, '&sort=block_number&order=desc'),
  ...ascending,
  ...ofAddress('transactions?sort=value&order=asc', 'transactions_by_address'),
  ...ofAddress('token-balances', 'balances_by_value'),
  ...ofAddress('nft', 'nfts_by_owner'),
  ...transfers,
  ...fromCursor(transfers),
  ...afterBatch,
  ...logs,
  ...fromCursor(logs),
  ...fromCursor(logs, `&topic=${aHash(0xdd)}`),
  ...shownByRows(ofTransaction('token-transfers')),
  ...shownByRows(ofTransaction(`token-transfers?${filtered}`)),
  ...shownByRows(ofToken('/holders', 'holders')),
  ...ofTransaction('summary'),
  ...ofTransaction('summary?just_request_body=true'),
  ...ofToken('', 'token_state'),
]
