import { z } from 'zod'
import type { Hash } from '../../../libs/chain/hex.ts'
import { DecodeBudget } from '../../../libs/presenters/abi/decode-budget.ts'
import type { Lookups } from '../../../libs/presenters/lookups.ts'
import { logObject } from '../../../libs/presenters/objects/log.ts'
import {
  type TransferRow,
  transferObject,
  transferOf,
} from '../../../libs/presenters/objects/transfer.ts'
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
import { logsOfTransaction } from '../../../libs/queries/logs-of-transaction.ts'
import { transactionsByHash } from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { transfersOfTransaction } from '../../../libs/queries/transfers-of-transaction/transfers-of-transaction.ts'
import { concatTemplates } from '../response/splices.ts'
import { References } from '../rows/references.ts'
import { pageBytesMax, rendered, text } from './pipeline/list-body.ts'
import { ofTransaction } from './pipeline/route.ts'
import type { Outcome, Reader } from './pipeline/steps.ts'

const parameters = z.object({
  just_request_body: forms.flag.describe(
    'Returns the facts that a summary is made from, and no summary.',
  ),
})

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

interface Facts {
  readonly rows: readonly never[]
  readonly executed: ExecutedTransaction
  /** Null: the facts themselves are requested. */
  readonly readings: ReturnType<typeof readingsOf> | null
  readonly decodeBudget: DecodeBudget
}

/** What the sentences of a summary are made from. */
async function summaryFacts(hash: Hash, reader: Reader): Promise<Facts | 'not found'> {
  const stored = await executedTransaction(hash, reader, readItemsMax)
  if (stored === null) return 'not found'
  const executed = { ...stored, transfers: await readTransfers(stored.transfers, reader) }
  const decodeBudget = new DecodeBudget()
  const readings = readingsOf(executed, decodeBudget)
  return { rows: [], executed, readings, decodeBudget }
}

/** The facts themselves, as many as an answer has. */
async function requestFacts(hash: Hash, reader: Reader): Promise<Facts | 'not found'> {
  const stored = await executedTransaction(hash, reader, requestItemsMax)
  if (stored === null) return 'not found'
  const { transaction } = stored
  const transfers = stored.transfers.slice(0, requestItemsMax)
  const logs = stored.logs.slice(0, requestItemsMax)
  const executed = { transaction, transfers, logs }
  return { rows: [], executed, readings: null, decodeBudget: new DecodeBudget() }
}

function referencesOf({ executed, readings, decodeBudget }: Facts): References {
  const references = new References(decodeBudget)
  if (readings === null) {
    const { transaction, transfers, logs } = executed
    return references.transactions([transaction]).transfers(transfers).logs(logs)
  }
  for (const { tokens, addresses, calls } of readings.map(namedIn)) {
    for (const { to, selector } of calls) references.selector(to, selector)
    for (const token of tokens) references.token(token)
    for (const address of addresses) references.address(address)
  }
  return references
}

async function requestAnswer(
  { transaction, transfers, logs }: ExecutedTransaction,
  { lookups, chainId }: { readonly lookups: Lookups; readonly chainId: number },
): Promise<Outcome> {
  // One by one, as those of a page: names, metadata and logs of strangers may be large.
  const transferItems = await rendered(transfers, (at) => transferObject(at, lookups), pageBytesMax)
  const transfersTemplate = concatTemplates(transferItems.templates)
  const bytesLeft = pageBytesMax - transfersTemplate.bytes.length
  const logItems = await rendered(logs, (at) => logObject(at, lookups), bytesLeft)
  const withoutLists = { transaction, transfers: [], logs: [] }
  const { data, chain_id } = summaryRequest(withoutLists, chainId, lookups)
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

export const summaryOfTransactionRoute = ofTransaction.page({
  path: '/api/v2/transactions/{transaction_hash}/summary',
  mayBeUnknown: true,
  operationId: 'summaryOfTransaction',
  example: { what: 'what a transaction did', of: 'transactions' },
  summary: 'What a transaction did, in a sentence',
  description:
    'Sentences made from the transaction, its transfers, logs and actions, with variables to ' +
    'fill in. Null for a transaction that failed or whose result is unknown.',
  headers: ['x-truncated'],
  body: summaryBodySchema,
  parameters,
  pageRequest: ({ just_request_body }) => ({ isRequestOnly: just_request_body === true }),
  list: ({ subject, requested: { isRequestOnly } }, reader) =>
    isRequestOnly ? requestFacts(subject, reader) : summaryFacts(subject, reader),
  hydrate: (_, facts) => referencesOf(facts),
  present({ skeleton: { executed, readings }, lookups, chainId }) {
    if (readings === null) return requestAnswer(executed, { lookups, chainId })
    return { body: summaryObject(executed, readings, { lookups, chainId }) }
  },
})
