import { type Address, withoutPrefix } from '../../chain/hex.ts'
import { ResultTooLarge, type Store, TooManyRows } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { balances as table } from '../../tables/tables/balances.ts'
import { firstRowsOfSubjects } from '../reading/declared.ts'
import { firstPages, rowsReadMaxOf } from '../reading/first-pages.ts'
import { question } from '../reading/question.ts'
import { currentRows } from '../reading/read-list.ts'
import type { RunOptions } from '../reading/run-options.ts'

type Balance = Row<typeof table>

const allBalancesOfAddresses = firstRowsOfSubjects({
  file: new URL('./all-balances-of-addresses.sql', import.meta.url),
  table,
  order: 'none',
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
})

interface AllBalancesOfAddress {
  readonly holder: Address
}

/** Stored rows of a holder, all versions included; nearly all have fewer. */
const rowsMax = 1_024

const allOf = (rows: readonly Balance[]) =>
  rows.length < rowsMax ? { rows: currentRows(table, rows, rows), isWhole: true } : null

const shared = firstPages({
  subjectOf: ({ holder }: AllBalancesOfAddress) => holder,
  query: allBalancesOfAddresses,
  subjectOfRow: (row) => row.holder,
  rowsMax,
  firstRowsOf: allOf,
  pageOf: ({ rows }) => rows,
  parametersOf: ({ knownFrom = 0 }) => ({ knownFrom }),
})

/** All balances of an address, unordered; null: too many to be read at once. */
export const allBalancesOfAddress = question({
  table,
  subjects: ({ holder }: AllBalancesOfAddress) => [holder],
  read: readAll,
  batch: {
    // What cannot share a query is taken for too many: those are read page by page.
    run: async (...given) => (await shared.run(...given)) ?? { result: null, isBehind: false },
  },
})

/** For callers whose reads share nothing. */
async function readAll(
  store: Store,
  { holder }: AllBalancesOfAddress,
  { knownFrom }: RunOptions,
): Promise<readonly Balance[] | null> {
  const parameters = { subjects: [withoutPrefix(holder)], rowsMax, knownFrom }
  try {
    const rows = await allBalancesOfAddresses.run(store, parameters, {
      rowsReadMax: rowsReadMaxOf(allBalancesOfAddresses, 1),
    })
    return allOf(rows)?.rows ?? null
  } catch (error) {
    if (error instanceof ResultTooLarge || error instanceof TooManyRows) return null
    throw error
  }
}
