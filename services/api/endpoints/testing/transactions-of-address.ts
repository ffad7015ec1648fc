import { anAddress, aTransaction } from '../../../../libs/presenters/testing/rows.ts'
import { linked } from '../../testing/linked-rows.ts'
import { fromCursors, ofPeople } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import { cursors, type Hostile, type Story } from './story.ts'

const { and, or, order, size, word } = spellings

const placeOf = (of: Hostile) => ({ blockNumber: of.blockNumber, index: of.index })

const checked = ofPeople('transactions', 'transactions_by_address')

export const story = {
  forms: [
    {},
    { filter: 'to', items_count: '7' },
    { filter: 'from', items_count: '7' },
    { sort: 'block_number', order: 'asc', items_count: '5' },
    { sort: 'value', order: 'desc', items_count: '5' },
    { sort: 'fee', order: 'asc', filter: 'from', items_count: '5' },
  ],
  requests: and(or('none', word('filter', 'to', 'from')), order, size),
  pages: {
    subject: anAddress(0xa1),
    filters: [
      ...['', 'filter=to', 'sort=block_number&order=asc', 'filter=from&sort=value&order=asc'],
      ...['sort=value&order=desc', 'sort=fee&order=asc', 'filter=to&sort=fee&order=desc'],
    ],
    rows: (of) => ({
      transactionsOfAddress: async () => {
        const paid = { gasUsed: 1n, gasPrice: of.fee, value: of.amount, timestamp: of.timestamp }
        return Array(2).fill(aTransaction({ ...placeOf(of), ...paid }))
      },
    }),
    place: placeOf,
  },
  queries: [
    `${cursors.place}&hash=${linked.hash}&inserted_at=2023-11-14T22:13:20.000000Z&value=9&fee=1&items_count=50`,
    cursors.place,
    'block_number=200',
    cursors.sentinel,
    `filter=from&${cursors.place}`,
    `filter=from&${cursors.place}&items_count=1`,
    'sort=value&order=asc',
    `sort=value&order=desc&value=9&${cursors.place}`,
    `sort=value&order=asc&${cursors.sentinel}`,
    'sort=fee&order=desc',
    `sort=fee&order=asc&fee=1&${cursors.place}`,
  ],
  checked: [
    ...checked,
    ...fromCursors(checked),
    ...fromCursors(checked, '&sort=block_number&order=desc'),
    // Oldest first, from a deep cursor: a page that ends where what changes begins.
    ...checked.map((target) => ({
      ...target,
      path: `${target.path}?sort=block_number&order=asc&block_number=699&index=9&items_count=1`,
      isAscending: true,
    })),
    ...ofPeople('transactions?sort=value&order=asc', 'transactions_by_address'),
  ],
} satisfies Story
