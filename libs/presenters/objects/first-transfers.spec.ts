import fc from 'fast-check'
import { expect, test } from 'vitest'
import { position } from '../../chain/position.ts'
import { ledger } from '../../projections/ledger/ledger.ts'
import { anyFacts } from '../../projections/testing/any-facts.ts'
import {
  alice,
  batchLog,
  blockOf,
  bob,
  contract,
  type Fact,
  transferLog,
} from '../../projections/testing/facts.ts'
import { logOf } from '../../projections/testing/log-of.ts'
import { RowSink, RowSource } from '../../tables/declare/row-binary.ts'
import { firstTransfersMax, packedTransfers } from '../../tables/tables/transaction-columns.ts'
import { transactionsByAddress } from '../../tables/tables/transactions.ts'
import { transfersByTransaction } from '../../tables/tables/transfers.ts'
import { lookupsOf } from '../testing/lookups.ts'
import { aHash, anAddress, aTransaction } from '../testing/rows.ts'
import { transactionObject } from './transaction.ts'
import { firstTransfersIn, firstTransfersOfPage } from './transaction-row.ts'

interface DecodedTable<R> {
  readonly name: string
  readonly decode: (source: RowSource) => R
}

/** Rows that the ledger writes, as they are read back from the store. */
function rowsOf<R>(facts: readonly Fact[], { name, decode }: DecodedTable<R>): R[] {
  const sink = new RowSink()
  const written = logOf(facts, 1).flatMap((message) => [...ledger.rows(message, [], position(1))])
  for (const { table, row } of written.flat()) if (table.name === name) table.encode(sink, row)
  const source = new RowSource(Buffer.from(sink.bytes()))
  const rows: R[] = []
  while (!source.done) rows.push(decode(source))
  return rows
}

/** @returns rows that have transfers */
function expectEqualToTheirTable(facts: readonly Fact[]): number {
  const transfers = rowsOf(facts, transfersByTransaction).sort(
    (one, other) => one.logIndex - other.logIndex || other.batchIndex - one.batchIndex,
  )
  const transactions = rowsOf(facts, transactionsByAddress)
  for (const row of transactions) {
    const own = transfers.filter(({ transactionHash }) => transactionHash === row.hash)
    expect(firstTransfersIn({ ...row, input: '0x' })).toEqual(own.slice(0, firstTransfersMax))
    expect(row.transfersCount).toBe(own.length)
  }
  return transactions.filter(({ transfersCount }) => transfersCount > 0).length
}

// Decision 44.
test('the first transfers in a row of a list are those of their own table', () => {
  let compared = 0
  fc.assert(
    fc.property(anyFacts, (facts) => {
      compared += expectEqualToTheirTable(facts)
    }),
    { numRuns: 50 },
  )
  expect(compared).toBeGreaterThan(50)
})

test('of many transfers a row contains the first ones: logs ascending, batches descending', () => {
  const items = Array.from({ length: 12 }, (_, at): [bigint, bigint] => [
    BigInt(at),
    2n ** 256n - 1n,
  ])
  const ends = [alice, bob] as const
  const logs = [transferLog(contract(1), ends, 5n), batchLog(contract(2), [bob, alice], items)]
  expect(expectEqualToTheirTable([blockOf({ logs })])).toBe(2)
})

test('a transaction without transfers has none', () => {
  expect(firstTransfersIn(aTransaction({ transfersCount: 0 }))).toEqual([])
})

test('a page shows so many of them, and overflows from there on', () => {
  const one = { token: anAddress(1), from: anAddress(2), to: anAddress(3), form: 0 }
  const place = { tokenId: null, value: 1n, logIndex: 1, batchIndex: 0, batchSize: 1 }
  const firstTransfers = packedTransfers(aHash(0xb1), Array(10).fill({ ...one, ...place }))
  const rows = Array.from({ length: 60 }, (_, at) =>
    aTransaction({ hash: aHash(at), transfersCount: 10, firstTransfers }),
  )
  const shown = firstTransfersOfPage(rows)
  const counts = rows.map((row) => shown.get(row)?.length)
  expect(counts).toEqual(rows.map((_, at) => (at < 50 ? 10 : 0)))
  const lookups = lookupsOf({})
  const overflows = rows.map(
    (row) => transactionObject(row, shown.get(row) ?? [], lookups).token_transfers_overflow,
  )
  expect(overflows).toEqual(rows.map((_, at) => at >= 50))
})
