import { z } from 'zod'
import { isoTime } from '../../../libs/presenters/dates.ts'
import { transactionsBody } from '../../../libs/presenters/list-bodies.ts'
import {
  historyBegins,
  transactionObject,
  withPublishedTypes,
} from '../../../libs/presenters/objects/transaction.ts'
import {
  firstTransfersOfPage,
  type TransactionRow,
} from '../../../libs/presenters/objects/transaction-row.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import { transactionsOfAddress } from '../../../libs/queries/transactions-of-address/transactions-of-address.ts'
import { feeOf } from '../../../libs/tables/tables/transaction-columns.ts'
import type { ListedTransaction } from '../../../libs/tables/tables/transactions.ts'
import { splicedConfirmations } from '../response/splices.ts'
import { References } from '../rows/references.ts'
import { pageBytesMax } from './pipeline/list-body.ts'
import { ofAddress } from './pipeline/route.ts'

const parameters = z.object({
  filter: forms.oneOf('The side that the address is on; both by default.', ['to', 'from']),
  sort: forms.oneOf('What to sort by; only together with order.', ['block_number', 'value', 'fee']),
  order: forms.oneOf('The direction; only together with sort.', ['asc', 'desc']),
  block_number: forms.blockNumber.describe('Cursor, with index.'),
  index: forms.index.describe('Cursor, with block_number: index of the last transaction.'),
  inserted_at: forms.momentParameter.describe('Cursor: ignored.'),
  hash: forms.hashParameter.describe('Cursor: ignored.'),
  value: forms.amount.describe('Cursor of sort=value: wei of the last item.'),
  fee: forms.amount.describe('Cursor of sort=fee: wei of the last item.'),
  items_count: forms.itemsCount,
})
type QueryParameters = z.output<typeof parameters>

const pageRequest = (parameters: QueryParameters) => ({
  filter: parameters.filter,
  ...orderOf(parameters),
  after: placeOf(parameters),
  size: forms.pageSizeOf(parameters),
})

const newestFirst = { sort: 'block_number', order: 'desc' } as const

/** Sort and order are only valid together: with one of them the list is by block, newest first. */
const orderOf = ({ sort, order }: QueryParameters) =>
  sort === null || order === null ? newestFirst : { sort, order }

/** @returns null for the first page; a sum sorted by belongs to the place. */
function placeOf(parameters: QueryParameters) {
  const { block_number: blockNumber, index, value, fee } = parameters
  if (blockNumber === null || index === null) return null
  const place = { blockNumber, index }
  const { sort } = orderOf(parameters)
  if (sort === 'value') return value === null ? null : { ...place, value }
  if (sort === 'fee') return fee === null ? null : { ...place, fee }
  return place
}

/**
 * Filter and order ride along where they are not what is done without them: older clients send
 * back only the cursor.
 */
function cursorAfter(
  last: TransactionRow,
  { filter, sort, order, size }: ReturnType<typeof pageRequest>,
) {
  const isUsual = sort === newestFirst.sort && order === newestFirst.order
  return {
    ...(filter === null ? {} : { filter }),
    ...(isUsual ? {} : { sort, order }),
    block_number: last.blockNumber,
    index: last.index,
    inserted_at: isoTime(last.timestamp),
    hash: last.hash,
    value: last.value.toString(),
    fee: feeOf(last).toString(),
    items_count: size,
  }
}

export const transactionsOfAddressRoute = ofAddress.list({
  path: '/api/v2/addresses/{address_hash}/transactions',
  mayBeUnknown: false,
  operationId: 'transactionsOfAddress',
  example: { what: 'transactions of an address', of: 'addresses' },
  summary: 'Transactions that an address sent, received or was created by',
  description: 'Newest first, unless sort and order say otherwise.',
  body: transactionsBody,
  parameters,
  pageRequest,
  async list({ subject: address, requested: { size, ...list } }, { read }) {
    const wanted = { address, ...list, limit: size + 1, bytesMax: pageBytesMax }
    const rows = await read(transactionsOfAddress, wanted)
    return { rows, transfers: firstTransfersOfPage(rows) }
  },
  costOf: ({ transfers }) => costOf(transfers),
  hydrate: (rows, { transfers }) => addTo(new References(), rows, transfers),
  present: {
    item(row, { skeleton: { transfers }, lookups, publishedTypes }) {
      const object = {
        ...transactionObject(row, transfers.get(row) ?? [], lookups),
        confirmations: splicedConfirmations(row.blockNumber),
      }
      return publishedTypes ? withPublishedTypes(object, row) : object
    },
    cursorAfter: ({ last }, { requested }) => cursorAfter(last, requested),
    options: (shown) => ({ isSpliced: true, transitionTimes: shown.map(historyBegins) }),
  },
})

type FirstTransfers = ReturnType<typeof firstTransfersOfPage>

const costOf = (transfers: FirstTransfers) =>
  rowCosts<ListedTransaction>({
    add: (references, row) => addTo(references, [row], transfers),
    ownCost: (row) =>
      row.input.length +
      row.authorizations.length +
      (transfers.get(row)?.length ?? 0) * costs.transfer,
  })

function addTo(
  references: References,
  rows: readonly ListedTransaction[],
  transfers: FirstTransfers,
): References {
  for (const row of rows) references.transfers(transfers.get(row) ?? [])
  return references.transactions(rows).actions(rows)
}

/**
 * What it takes to look up and render something, as the bytes of a body that take as long
 * (`benchmarks/page-cost.ts`). Of an instance with its owner and its metadata.
 */
export const costs = { transfer: 2_048, address: 2_048, token: 2_048, instance: 12_288 } as const

interface CostedRows<R> {
  /** Adds what a row refers to. */
  readonly add: (references: References, row: R) => unknown
  /** Of the row alone. */
  readonly ownCost: (row: R) => number
}

/** The cost of each row of a page, in their order: a reference counts where it occurs first. */
function rowCosts<R>({ add, ownCost }: CostedRows<R>): (row: R) => number {
  const references = new References()
  let before = 0
  return (row) => {
    add(references, row)
    const { addresses, tokens, instances } = references
    const all =
      addresses.size * costs.address + tokens.size * costs.token + instances.size * costs.instance
    const cost = ownCost(row) + all - before
    before = all
    return cost
  }
}
