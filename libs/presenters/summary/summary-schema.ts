import { z } from 'zod'
import { addressSchema } from '../address.ts'
import { logSchema } from '../objects/log.ts'
import { tokenSchema } from '../objects/token.ts'
import { transactionSchema } from '../objects/transaction-schema.ts'
import { transferSchema } from '../objects/transfer.ts'
import { integer, named } from '../schemas.ts'

/** Transfers and logs that the request holds, each. */
export const requestItemsMax = 50

const variableSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['string', 'currency', 'method']).describe('How to show the value.'),
    value: z.string().describe('Text; of a currency a decimal number of whole units.'),
  }),
  z.object({
    type: z.literal('token').describe('The value is a token.'),
    value: tokenSchema.describe('The token.'),
  }),
  z.object({
    type: z.literal('address').describe('The value is an address.'),
    value: addressSchema.describe('The address.'),
  }),
  z.object({
    type: z.literal('dexTag').describe('The value is an exchange.'),
    value: z
      .object({
        name: z.string().describe('Its name.'),
        icon: z.string().describe('URL of its icon; may be empty.'),
        url: z.string().describe('URL of its site; may be empty.'),
      })
      .describe('The exchange.'),
  }),
])

const sentenceSchema = z.object({
  summary_template: z.string().describe('A sentence with names of variables in braces.'),
  summary_template_variables: z
    .record(z.string(), variableSchema)
    .describe('What stands for each name of summary_template.'),
})

/** Schema of `summaryObject`. */
const summarySchema = named(
  'Summary',
  z
    .object({
      success: z.literal(true).describe('Always true: no other service is called.'),
      data: z
        .object({
          summaries: z
            .array(sentenceSchema)
            .describe('Sentences, the most specific first; at most 5, and empty if none fits.'),
        })
        .describe('The sentences.'),
    })
    .describe('What a transaction did.'),
)

const firstOnes = `first ${requestItemsMax}`
/** Fields of a transaction in a list. */
const summarized = {
  to: true,
  from: true,
  hash: true,
  type: true,
  value: true,
  method: true,
  status: true,
  transaction_types: true,
  raw_input: true,
  decoded_input: true,
} as const

/** Schema of `summaryRequest`. */
const summaryRequestSchema = named(
  'SummaryRequest',
  z
    .object({
      data: z
        .object({
          ...transactionSchema.pick(summarized).shape,
          token_transfers: z.array(transferSchema).describe(`Its ${firstOnes} token transfers.`),
          internal_transactions: z
            .array(z.unknown())
            .max(0)
            .describe('Always empty: inner calls are not indexed.'),
        })
        .describe('The transaction.'),
      logs_data: z
        .object({ items: z.array(logSchema).describe(`Its ${firstOnes} logs.`) })
        .describe('Its logs.'),
      chain_id: integer.describe('Id of the chain.'),
    })
    .describe('What a summary is made from: the answer to just_request_body=true.'),
)

/** Null for a failed transaction; the request if only that was requested. */
export const summaryBodySchema = named(
  'SummaryBody',
  z
    .union([summarySchema, summaryRequestSchema, z.null()])
    .describe('Null for a transaction that failed or whose result is unknown.'),
)
