import fc from 'fast-check'
import {
  aHash,
  anAddress,
  aTransaction,
  aTransfer,
} from '../../../../libs/presenters/testing/rows.ts'
import { linked } from '../../testing/linked-rows.ts'
import { cast, clock } from '../../testing/simulated-tables.ts'
import { fromCursors, ofTokens } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import { cursors, type Hostile, type Story, tokenStates } from './story.ts'

const { and, batchKeys, blockHash, blockPlace, hash, noBatch, place, sizeGivenBack, subjects } =
  spellings

const transaction = aHash(0x7a)

const placeOf = (of: Hostile) => ({
  blockNumber: of.blockNumber,
  logIndex: of.index,
  batchIndex: of.batchIndex,
})

const checked = ofTokens('/transfers', 'transfers_by_token')
const batch = `batch_log_index=4&index_in_batch=1&batch_transaction_hash=${cast.transactions[0]}`

export const story = {
  forms: [{ items_count: '9' }],
  requests: and(
    place(blockPlace),
    sizeGivenBack,
    fc.oneof(
      fc.constant({ meaning: {}, spelling: noBatch }),
      and(
        ...Object.values(batchKeys),
        blockHash,
        hash('batch_transaction_hash', ...subjects.transaction),
      ),
    ),
  ),
  pages: {
    subject: anAddress(0x70),
    filters: [''],
    rows: (of) => ({
      tokenStates,
      transfersOfToken: async () => [
        aTransfer(placeOf(of)),
        aTransfer({ ...placeOf(of), batchIndex: 0 }),
      ],
      placesOfTransactions: async () => {
        const { blockNumber } = of
        return new Map([[transaction, { ...aTransaction({ hash: transaction }), blockNumber }]])
      },
    }),
    place: placeOf,
  },
  queries: [
    `${cursors.place}&${cursors.wholeBatch}&items_count=50`,
    `${cursors.place}&items_count=50`,
    'block_number=200',
    cursors.wholeBatch,
    cursors.otherBlock,
    `${cursors.place}&${cursors.otherBlock}`,
    cursors.batch,
    `batch_log_index=0&index_in_batch=0&batch_transaction_hash=${linked.hash}`,
    cursors.sentinel,
  ],
  checked: [
    ...checked,
    ...fromCursors(checked),
    // The batch lies in the block of its transaction; where that is not there, at the log's place.
    ...checked.map((target) => ({
      ...target,
      path: `${target.path}?block_number=99999999&index=0&${batch}&items_count=1`,
      before: clock.firstBlock - 5,
    })),
  ],
} satisfies Story
