import { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import { standards as allStandards } from '../../../libs/chain/token.ts'
import { transfersOfTransactionBody } from '../../../libs/presenters/list-bodies.ts'
import { transferObject } from '../../../libs/presenters/objects/transfer.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import {
  placesOfTransactions,
  type TransactionPlace,
} from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { References } from '../rows/references.ts'
import { ofTransaction } from './pipeline/route.ts'
import { rowsOfKnown } from './rows-of-known.ts'
import {
  batchPlaceOf,
  cursorInTransaction,
  logPlaceOf,
  sizeRequest,
  transferParameters,
} from './transfer-cursors.ts'

const parameters = z.object({
  type: forms.standardsList.describe('Only tokens of these standards.'),
  ...transferParameters.shape,
})
type QueryParameters = z.output<typeof parameters>

type Place = NonNullable<ReturnType<typeof placeOf>>

function pageRequest(parameters: QueryParameters, subject: Hash) {
  const { type } = parameters
  return {
    // All standards are no filter.
    standards: type === null || type.length === allStandards.length ? null : type,
    place: placeOf(parameters, subject),
    ...sizeRequest(parameters),
  }
}

/** The cursor; null: the first page. */
function placeOf(parameters: QueryParameters, subject: Hash) {
  const after = itemOf(parameters, subject)
  if (after === null) return null
  const { block_number: blockNumber, batch_block_hash: blockHash } = parameters
  return { after, blockNumber, blockHash, before: logPlaceOf(parameters) }
}

/** In one transaction the log's index is the position; a batch of another one has none. */
function itemOf(parameters: QueryParameters, subject: Hash) {
  const batch = batchPlaceOf(parameters)
  if (batch !== null && (batch.transactionHash ?? subject) === subject) {
    return { logIndex: batch.logIndex, batchIndex: batch.batchIndex }
  }
  return parameters.index === null ? null : { logIndex: parameters.index, batchIndex: null }
}

/**
 * Log indexes count within a block. After a reorganisation, a cursor from another block than the
 * transaction's current one is ignored: it would omit transfers.
 */
const isInBlock = (place: TransactionPlace, { blockNumber, blockHash }: Place): boolean =>
  (blockNumber ?? place.blockNumber) === place.blockNumber &&
  (blockHash ?? place.blockHash) === place.blockHash

export const transfersOfTransactionRoute = ofTransaction.list({
  path: '/api/v2/transactions/{transaction_hash}/token-transfers',
  mayBeUnknown: true,
  operationId: 'transfersOfTransaction',
  example: { what: 'transfers in a transaction', of: 'transactions' },
  summary: 'Token transfers of a transaction, in the order of its logs',
  description: 'Each id of a batch is an item, the highest index first.',
  body: transfersOfTransactionBody,
  parameters,
  pageRequest,
  async list({ subject: hash, requested: { standards, place, size } }, reader) {
    const placeOfSubject = async () => (await reader.read(placesOfTransactions, [hash])).get(hash)
    // Only a cursor has to wait for the transaction's block.
    const known = place === null ? null : ((await placeOfSubject()) ?? 'not found')
    if (known === 'not found') return known
    const isThere = place !== null && known !== null && isInBlock(known, place)
    const asked = {
      hash,
      filter: standards && { standards, statesOf: reader.tokenStates },
      after: isThere ? place.after : null,
      limit: size + 1,
    }
    const read = () => reader.read(transfersOfTransaction, asked)
    const isKnown = async () => (await placeOfSubject()) !== undefined
    const rows = known === null ? await rowsOfKnown(read, isKnown) : await read()
    return rows === null ? 'not found' : { rows, before: isThere ? place.before : null }
  },
  hydrate: (rows) => new References().transfers(rows),
  present: {
    item: (row, { lookups }) => transferObject(row, lookups),
    cursorAfter(page, { requested, skeleton: { before } }) {
      const cursor = cursorInTransaction({ ...requested, ...page, before })
      if (cursor === null) return null
      return { ...forms.typeKey(requested.standards ?? allStandards, allStandards), ...cursor }
    },
  },
})
