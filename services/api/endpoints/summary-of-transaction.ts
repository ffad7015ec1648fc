import { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import { logObject } from '../../../libs/presenters/log.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import {
  type ExecutedTransaction,
  readItemsMax,
} from '../../../libs/presenters/summary/executed-transaction.ts'
import { namedIn } from '../../../libs/presenters/summary/phrase.ts'
import {
  readingsOf,
  summaryObject,
  summaryRequest,
} from '../../../libs/presenters/summary/summary.ts'
import {
  requestItemsMax,
  summaryBodySchema,
} from '../../../libs/presenters/summary/summary-schema.ts'
import { type TransferRow, transferObject, transferOf } from '../../../libs/presenters/transfer.ts'
import { logsOfTransaction } from '../../../libs/queries/logs-of-transaction.ts'
import { transactionsByHash } from '../../../libs/queries/transactions/transactions.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { concatTemplates } from '../response/splices.ts'
import { References } from '../rows/references.ts'
import { pageBytesMax, rendered, text } from './pipeline/list-page.ts'
import { type Outcome, type Reader, transactionRoute } from './pipeline/route.ts'

const parameters = z.object({
  just_request_body: forms.flag.describe(
    'Returns the facts that a summary is made from, and no summary.',
  ),
})

async function summary(hash: Hash, reader: Reader): Promise<Outcome> {
  const stored = await executedTransaction(hash, reader, readItemsMax)
  if (stored === null) return 'not found'
  const executed = { ...stored, transfers: await readTransfers(stored.transfers, reader) }
  const references = new References()
  const readings = readingsOf(executed, references.decodeBudget)
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
  const { transaction } = executed
  const transfers = executed.transfers.slice(0, requestItemsMax)
  const logs = executed.logs.slice(0, requestItemsMax)
  const references = new References().transactions([transaction]).transfers(transfers).logs(logs)
  const lookups = await reader.lookUp(references)
  // One by one, as those of a page: names, metadata and logs of strangers may be large.
  const transferItems = await rendered(transfers, (at) => transferObject(at, lookups), pageBytesMax)
  const transfersTemplate = concatTemplates(transferItems.templates)
  const bytesLeft = pageBytesMax - transfersTemplate.bytes.length
  const logItems = await rendered(logs, (at) => logObject(at, lookups), bytesLeft)
  const withoutLists = { transaction, transfers: [], logs: [] }
  const { data, chain_id } = summaryRequest(withoutLists, reader.chainId, lookups)
  const { token_transfers: _, ...rest } = data
  const template = concatTemplates([
    text(`{"data":${JSON.stringify(rest).slice(0, -1)},"token_transfers":[`),
    transfersTemplate,
    text(']},"logs_data":{"items":['),
    ...logItems.templates,
    text(`]},"chain_id":${chain_id}}`),
  ])
  const count = transferItems.count + logItems.count
  return count === transfers.length + logs.length
    ? { template }
    : { template, headers: { 'x-truncated': String(count) } }
}

/** @param limit of transfers, and of logs. @returns null for an unknown one. */
async function executedTransaction(
  hash: Hash,
  { read }: Reader,
  limit: number,
): Promise<ExecutedTransaction | null> {
  // First: it is written after all that belongs to it, so that none of this is missing then.
  const transaction = (await read(transactionsByHash, [hash])).get(hash)
  if (transaction === undefined) return null
  const [transfers, logs] = await Promise.all([
    read(transfersOfTransaction, { hash, filter: null, after: null, limit }),
    read(logsOfTransaction, { hash, limit }),
  ])
  return { transaction, transfers, logs }
}

/** As the standards of their tokens read them. */
async function readTransfers(
  transfers: readonly TransferRow[],
  reader: Reader,
): Promise<readonly TransferRow[]> {
  const states = await reader.tokenStates([...new Set(transfers.map(({ token }) => token))])
  return transfers.map((row) => transferOf(row, states.get(row.token) ?? null))
}

export const summaryOfTransactionRoute = transactionRoute({
  path: '/api/v2/transactions/{transaction_hash}/summary',
  mayBeUnknown: true,
  operationId: 'summaryOfTransaction',
  summary: 'What a transaction did, in a sentence',
  description:
    'Sentences made from the transaction, its transfers, logs and actions, with variables to ' +
    'fill in. Null for a transaction that failed or whose result is unknown.',
  headers: ['x-truncated'],
  body: summaryBodySchema,
  parameters,
  pageRequest: ({ just_request_body }) => ({ isRequestOnly: just_request_body === true }),
  answer: ({ subject, requested: { isRequestOnly } }, reader) =>
    isRequestOnly ? request(subject, reader) : summary(subject, reader),
})
