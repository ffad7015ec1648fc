import { type Address, type Hash, withoutPrefix } from '../../chain/hex.ts'
import { type Standard, standards as standardList } from '../../chain/token.ts'
import type { Store } from '../../ports/store.ts'
import { type Row, table } from '../../tables/declare/table.ts'
import type { tokenState } from '../../tables/tables/tokens.ts'
import { transfersByTransaction } from '../../tables/tables/transfers.ts'
import { firstRowsOfSubjects, range } from '../reading/declared.ts'
import { firstPages, firstRows, ofOneTransactionRows } from '../reading/first-pages.ts'
import { clampUint32, uint32Max } from '../reading/parameters.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { ReadLimitExceeded, resultBytesMax } from '../reading/read-limits.ts'
import {
  currentRows,
  type ListSource,
  readList,
  slackRows,
  unfiltered,
  withoutLastGroup,
} from '../reading/read-list.ts'

type Transfer = Row<typeof transfersByTransaction>

/** Logs ascending, descending within a batch. */
export const transfersOfTransactionInOrder = range({
  file: new URL('./transfers-of-transaction.sql', import.meta.url),
  table: transfersByTransaction,
  of: ['transactionHash'],
  after: ['logIndex', 'batchIndex'],
  order: 'key',
  budget: { rowsMax: 8_000, bytesMax: 1_000_000 },
})

/** First pages of transactions with few transfers. */
const transfersOfTransactions = firstRowsOfSubjects({
  file: new URL('./transfers-of-transactions.sql', import.meta.url),
  table: transfersByTransaction,
  order: 'key',
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
})

export interface TransfersOfTransaction {
  readonly hash: Hash
  /** Null for all transfers. */
  readonly filter: StandardFilter | null
  readonly after: TransferPlace | null
  readonly limit: number
}

const start: TransferPlace = { logIndex: 0, batchIndex: uint32Max }

/** Logs ascending, inside a batch descending. */
export const transfersOfTransaction = question({
  table: transfersByTransaction,
  subjects: ({ hash }: TransfersOfTransaction) => [hash],
  read: readTransfers,
  batch: firstPages({
    subjectOf: ({ hash, filter, after, limit }: TransfersOfTransaction) =>
      filter === null && after === null && limit <= ofOneTransactionRows ? hash : null,
    query: transfersOfTransactions,
    subjectOfRow: (row) => row.transactionHash,
    ...firstRows(transfersByTransaction, cursorKey, ofOneTransactionRows + slackRows),
  }),
})

function cursorKey({ logIndex, batchIndex }: Transfer): string {
  return `${logIndex}|${batchIndex}`
}

async function readTransfers(
  store: Store,
  { hash, filter, after, limit }: TransfersOfTransaction,
): Promise<readonly Transfer[]> {
  const source: ListSource<Transfer> = {
    table: transfersByTransaction,
    cursorKey,
    fetch: (last, rowsMax) => {
      const place = placeParameters(hash, last ?? after ?? start)
      return transfersOfTransactionInOrder.run(store, { ...place, rowsMax })
    },
    fetchRowsMax: 4_096,
  }
  if (filter === null) return readList(source, limit, unfiltered)
  const rowsMax = limit + slackRows
  const fetched = await source.fetch(null, rowsMax, resultBytesMax)
  const isLast = fetched.length < rowsMax
  const rows = isLast ? fetched : withoutLastGroup(fetched, source.cursorKey)
  const found = await ofStandards(currentRows(transfersByTransaction, rows, rows), filter)
  if (isLast || found.length >= limit) return found.slice(0, limit)
  const rest = { filter, after: rows.at(-1) ?? after ?? start, limit: limit - found.length }
  return [...found, ...(await transfersOfStandards(store, hash, rest))]
}

const { token } = transfersByTransaction.columns
const tokenPlaces = table({ ...transfersByTransaction, columns: { token }, packed: undefined })

/** Reads the rows that it skips: the budget is that of 100,000 transfers. */
export const tokensOfTransaction = query({
  file: new URL('./tokens-of-transaction.sql', import.meta.url),
  table: tokenPlaces,
  budget: { rowsMax: 150_000, bytesMax: 16_000_000 },
})
/** Reads the rows that it skips: the budget is that of 100,000 transfers. */
export const transfersOfTokens = query({
  file: new URL('./transfers-of-tokens.sql', import.meta.url),
  table: transfersByTransaction,
  budget: { rowsMax: 150_000, bytesMax: 16_000_000 },
})
export const transfersOfTransactionVersions = query({
  file: new URL('./transfers-of-transaction-versions.sql', import.meta.url),
  table: transfersByTransaction,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

/** Position in a transaction: logs ascending, descending within a batch. */
export interface TransferPlace {
  readonly logIndex: number
  /** Null: after the whole log. */
  readonly batchIndex: number | null
}

/** Filters transfers by the standard of the token, not by the form of the log. */
export interface StandardFilter {
  readonly standards: readonly Standard[]
  /** States of tokens; unknown ones are missing. */
  readonly statesOf: (
    tokens: readonly Address[],
  ) => Promise<ReadonlyMap<Address, Pick<Row<typeof tokenState>, 'standard'>>>
}

/** Tokens found by one query, and tokens whose transfers are read by one. */
const tokensPerQueryMax = 16_384
const tokensReadMax = 256
const queriesMax = 24

/**
 * Transfers of a transaction after a place whose tokens have one of the standards. Their tokens are
 * found first, so that hundreds of thousands of other transfers need not be read.
 * @throws ReadLimitExceeded
 */
async function transfersOfStandards(
  store: Store,
  hash: Hash,
  options: { filter: StandardFilter; after: TransferPlace; limit: number },
): Promise<Transfer[]> {
  const { filter, limit } = options
  const found: Transfer[] = []
  let after = options.after
  for (let queries = 0; queries < queriesMax; queries++) {
    const { tokens, next } = await wantedTokens(store, hash, { filter, after })
    const list = { tokens, after, until: next, limit: limit - found.length }
    if (tokens.length > 0) found.push(...(await transfersOf(store, hash, { ...list, filter })))
    if (next === null || found.length >= limit) return found
    after = { logIndex: next.logIndex, batchIndex: next.batchIndex + 1 }
  }
  throw new ReadLimitExceeded(transfersByTransaction.name, queriesMax * tokensReadMax)
}

/** Rows of these standards. An unknown token counts by the form of the log. */
async function ofStandards<R extends Pick<Transfer, 'token' | 'form'>>(
  rows: readonly R[],
  { standards, statesOf }: StandardFilter,
): Promise<R[]> {
  const states = await statesOf([...new Set(rows.map((row) => row.token))])
  const wanted = new Set(standards.map((standard) => standardList.indexOf(standard)))
  return rows.filter((row) => wanted.has(states.get(row.token)?.standard ?? row.form))
}

interface Wanted {
  readonly tokens: readonly Address[]
  /** The first transfer of the first token beyond them; null if there is none. */
  readonly next: Row<typeof tokenPlaces> | null
}

/** Tokens that may match, in the order of their first transfers after a place. */
async function wantedTokens(
  store: Store,
  hash: Hash,
  { filter, after }: { filter: StandardFilter; after: TransferPlace },
): Promise<Wanted> {
  const { standards, statesOf } = filter
  const isWanted = new Set(standards.map((standard) => standardList.indexOf(standard)))
  const tokens: Address[] = []
  for (let queries = 0; queries < queriesMax; queries++) {
    const page = { skipped: queries * tokensPerQueryMax, rowsMax: tokensPerQueryMax }
    const firsts = await tokensOfTransaction.run(store, {
      ...placeParameters(hash, after),
      ...page,
    })
    const states = await statesOf(firsts.map((first) => first.token))
    for (const first of firsts) {
      const state = states.get(first.token)
      if (state !== undefined && !isWanted.has(state.standard)) continue
      if (tokens.length === tokensReadMax) return { tokens, next: first }
      tokens.push(first.token)
    }
    if (firsts.length < tokensPerQueryMax) return { tokens, next: null }
  }
  throw new ReadLimitExceeded(tokenPlaces.name, queriesMax * tokensPerQueryMax)
}

interface TokensOptions {
  readonly tokens: readonly Address[]
  readonly after: TransferPlace
  readonly until: Row<typeof tokenPlaces> | null
  readonly limit: number
  readonly filter: StandardFilter
}

function transfersOf(store: Store, hash: Hash, options: TokensOptions): Promise<Transfer[]> {
  const { tokens, until, limit, filter } = options
  const list = {
    tokens: tokens.map(withoutPrefix),
    untilLogIndex: until?.logIndex ?? uint32Max,
    untilBatchIndex: until?.batchIndex ?? 0,
  }
  const source: ListSource<Transfer> = {
    table: transfersByTransaction,
    cursorKey: (row) => `${row.logIndex}|${row.batchIndex}`,
    fetch: (last, rowsMax) =>
      transfersOfTokens.run(store, {
        ...placeParameters(hash, last ?? options.after),
        ...list,
        rowsMax,
      }),
    versionsOf: (rows) =>
      transfersOfTransactionVersions.run(store, {
        transactionHash: withoutPrefix(hash),
        logIndexes: rows.map((row) => row.logIndex),
        batchIndexes: rows.map((row) => row.batchIndex),
      }),
    fetchRowsMax: 1_000,
  }
  return readList(source, limit, (rows) => ofStandards(rows, filter))
}

/** Parameters for transfers after a place. */
const placeParameters = (hash: Hash, { logIndex, batchIndex }: TransferPlace) => ({
  transactionHash: withoutPrefix(hash),
  logIndex: clampUint32(logIndex),
  batchIndex: clampUint32(batchIndex ?? 0),
})
