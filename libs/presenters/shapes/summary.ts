import { z } from 'zod'
import { address } from './address.ts'
import { decodedInput } from './decoded.ts'
import { log } from './log.ts'
import { named } from './named.ts'
import { token } from './token.ts'
import { status, transactionTypes } from './transaction.ts'
import { transfer } from './transfer.ts'
import { amount, bytes, hash, integer, words } from './words.ts'

const variable = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['string', 'currency', 'method']), value: z.string() }),
  z.object({ type: z.literal('token'), value: token }),
  z.object({ type: z.literal('address'), value: address }),
  z.object({
    type: z.literal('dexTag'),
    value: z.object({ name: z.string(), icon: z.string(), url: z.string() }),
  }),
])

const sentence = z.object({
  summary_template: z.string(),
  summary_template_variables: z.record(z.string(), variable),
})

/** See `../summary/summary.ts`. */
const summary = named(
  'Summary',
  z.object({
    success: z.literal(true).describe('always true: no other service is asked'),
    data: z.object({ summaries: z.array(sentence) }),
  }),
)

/** See `../summary/summary-request.ts`. */
const summaryRequest = named(
  'SummaryRequest',
  z.object({
    data: z.object({
      to: address.nullable(),
      from: address,
      hash,
      type: integer,
      value: amount,
      method: words,
      status,
      transaction_types: transactionTypes,
      raw_input: bytes,
      decoded_input: decodedInput.nullable(),
      token_transfers: z.array(transfer),
      internal_transactions: z
        .array(z.unknown())
        .max(0)
        .describe('always empty: inner calls are not indexed'),
    }),
    logs_data: z.object({ items: z.array(log) }),
    chain_id: integer,
  }),
)

/** Null for a transaction that did not succeed; the request where only that was asked for. */
export const summaryBody = named('SummaryBody', z.union([summary, summaryRequest, z.null()]))
