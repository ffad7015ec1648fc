import fc from 'fast-check'
import {
  aHash,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../../libs/presenters/testing/rows.ts'
import { linked } from '../../testing/linked-rows.ts'
import { filtered, ofHashes, shownByRows } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import { cursors, type Hostile, itemsOf, type Story, tokenStates } from './story.ts'

const { all, and, anything, batchKeys, block, blockHash, index, kinds, noBatch, nothing } =
  spellings
const { or, sizeGivenBack, type } = spellings

const hash = aHash(0x7a)

const placeOf = (of: Hostile) => ({ logIndex: of.index, batchIndex: of.batchIndex })

export const story = {
  forms: [{ items_count: '4' }, { type: 'ERC-20' }, { type: 'ERC-721,ERC-1155', items_count: '4' }],
  requests: and(
    type(kinds),
    sizeGivenBack,
    fc.oneof(
      fc.constant({
        meaning: {},
        spelling: all(noBatch, nothing('index'), anything('block_number', ['9'])),
      }),
      and(index, blockHash, or('block_number', block)),
      and(...Object.values(batchKeys), blockHash, index, block),
    ),
  ),
  pages: {
    subject: hash,
    filters: ['', 'type=ERC-1155', 'type=ERC-1155,ERC-20'],
    rows: (of) => {
      const { blockNumber } = of
      const row = { ...placeOf(of), blockNumber, form: indexOf('ERC-1155') }
      return {
        tokenStates,
        transfersOfTransaction: async () => [aTransfer(row), aTransfer({ ...row, batchIndex: 0 })],
        placesOfTransactions: async () =>
          new Map([[hash, { ...aTransaction({ hash }), blockNumber }]]),
      }
    },
    place: placeOf,
  },
  queries: [
    `block_number=100&index=4&${cursors.wholeBatch}`,
    'block_number=100&index=4',
    'index=4',
    cursors.place,
    cursors.wholeBatch,
    cursors.otherBlock,
    cursors.batch,
    cursors.sentinel,
    'type=ERC-20',
    `type=ERC-721&${cursors.wholeBatch}`,
  ],
  checked: [
    ...shownByRows(ofHashes('token-transfers')),
    ...shownByRows(ofHashes(`token-transfers?${filtered}`)),
  ],
  flush: {
    path: `/api/v2/transactions/${linked.hash}/token-transfers`,
    group: 'ledger',
    tables: ['transfers_by_transaction', 'transactions'],
    countsOf: itemsOf,
  },
} satisfies Story
