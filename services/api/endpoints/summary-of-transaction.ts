import { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import {
  type ExecutedTransaction,
  readItemsMax,
} from '../../../libs/presenters/summary/executed-transaction.ts'
import { namedIn } from '../../../libs/presenters/summary/phrase.ts'
import {
  readingsOf,
  requestItemsMax,
  summaryBodySchema,
  summaryObject,
  summaryRequest,
} from '../../../libs/presenters/summary/summary.ts'
import { logsOfTransaction } from '../../../libs/queries/logs-of-transaction.ts'
import { transactionsByHash } from '../../../libs/queries/transactions/transactions.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { References } from '../render/references.ts'
import { type Outcome, type Reader, transactionRoute } from './route.ts'

const parameters = z.object({ just_request_body: forms.flag })

async function summary(hash: Hash, reader: Reader): Promise<Outcome> {
  const executed = await executedTransaction(hash, reader, readItemsMax)
  if (executed === null) return 'not found'
  const readings = readingsOf(executed)
  const references = new References()
  for (const { tokens, addresses, calls } of readings.map(namedIn)) {
    for (const { to, selector } of calls) references.selector(to, selector)
    for (const token of tokens) references.token(token)
    for (const address of addresses) references.address(address)
  }
  const context = { lookups: await reader.lookUp(references), chainId: reader.chainId }
  return { body: summaryObject(executed, readings, context) }
}

async function request(hash: Hash, reader: Reader): Promise<Outcome> {
  const executed = await executedTransaction(hash, reader, requestItemsMax)
  if (executed === null) return 'not found'
  const { transaction, transfers, logs } = executed
  const references = new References().transactions([transaction]).transfers(transfers).logs(logs)
  return { body: summaryRequest(executed, reader.chainId, await reader.lookUp(references)) }
}

/** @param limit of transfers, and of logs. @returns null for an unknown one. */
async function executedTransaction(
  hash: Hash,
  { read }: Reader,
  limit: number,
): Promise<ExecutedTransaction | null> {
  const [transactions, transfers, logs] = await Promise.all([
    read(transactionsByHash, [hash]),
    read(transfersOfTransaction, { hash, filter: null, after: null, limit }),
    read(logsOfTransaction, { hash, limit }),
  ])
  const transaction = transactions.get(hash)
  return transaction === undefined ? null : { transaction, transfers, logs }
}

export const summaryOfTransactionRoute = transactionRoute({
  path: '/api/v2/transactions/{transaction_hash}/summary',
  mayBeUnknown: true,
  summary: 'What a transaction did, in a sentence',
  body: summaryBodySchema,
  parameters,
  pageRequest: ({ just_request_body }) => ({ isRequestOnly: just_request_body === true }),
  answer: ({ subject, requested: { isRequestOnly } }, reader) =>
    isRequestOnly ? request(subject, reader) : summary(subject, reader),
})
