import { z } from 'zod'
import { standards } from '../chain/token.ts'
import { balanceSchema, holderSchema, unpagedBalanceSchema } from './objects/balance.ts'
import { nftSchema } from './objects/instance.ts'
import { logSchema } from './objects/log.ts'
import { transactionSchema } from './objects/transaction-schema.ts'
import { transferSchema } from './objects/transfer.ts'
import {
  decimalString,
  hashString,
  integer,
  lowerAddressString,
  named,
  textOrNull,
  timeString,
} from './schemas.ts'

const next = 'Send every key back as a query parameter for the next page; null on the last one.'

const list = <I extends z.ZodType, C extends z.ZodType>(id: string, item: I, cursor: C) =>
  named(
    id,
    z
      .object({
        items: z.array(item).describe('Items of the page, at most items_count.'),
        next_page_params: cursor.nullable().describe(next),
      })
      .describe('A page of a list.'),
  )

const items_count = integer.describe('Requested size of a page.')
const itemsCountSent = items_count.describe('Requested size of a page; absent if none was.')
/** Filters by standard ride in cursors, as all that is not the default. */
const type = z
  .string()
  .optional()
  .describe('The requested standards, separated by commas; absent if all were.')
const place = {
  block_number: integer.describe('Block of the last item.'),
  index: integer.describe('Index of the last item in its block.'),
}
const idOf = decimalString.describe('Token id of the last item.')
const amountOf = decimalString.describe('Amount of the last item.')
const standardOf = z.enum(standards).describe('Standard of the last item.')

export const tokenBalancesBody = list(
  'TokenBalances',
  balanceSchema,
  z.object({
    type,
    fiat_value: textOrNull.describe('Fiat value of the last item by the rates of the list.'),
    id: integer.describe('Place of the last item, with the hour of the rates of the list.'),
    items_count,
    value: amountOf,
    token_name: textOrNull.describe('Name of the last token, cut to 64 characters; null without.'),
    token_type: standardOf,
  }),
)

export const transactionsBody = list(
  'Transactions',
  transactionSchema,
  z.object({
    filter: z.enum(['to', 'from']).optional().describe('As requested; absent if it was not.'),
    sort: z
      .enum(['block_number', 'value', 'fee'])
      .optional()
      .describe('As requested; absent with block_number, desc.'),
    order: z.enum(['asc', 'desc']).optional().describe('As requested; absent if sort is.'),
    ...place,
    inserted_at: timeString.describe('Time of the block of the last item.'),
    hash: hashString.describe('Hash of the last item.'),
    value: decimalString.describe('Value of the last item, wei.'),
    fee: decimalString.describe('Fee of the last item, wei.'),
    items_count,
  }),
)

export const unpagedBalancesBody = named(
  'UnpagedTokenBalances',
  z.array(unpagedBalanceSchema).describe('All token balances of an address.'),
)

export const nftsBody = list(
  'Nfts',
  nftSchema,
  z.object({
    type,
    token_contract_address_hash: lowerAddressString.describe('Token of the last item.'),
    token_id: idOf,
    token_type: standardOf,
    items_count,
  }),
)

const batch = z.object({
  batch_log_index: integer.describe('Log of the last item.'),
  batch_block_hash: hashString.describe('Block of the last item.'),
  batch_transaction_hash: hashString.describe('Transaction of the last item.'),
  index_in_batch: integer.describe('Place of the last item in its batch; 0 if it is in none.'),
})
/** Of a batch that the page cuts: the place is that of the last log before it. */
const optionalPlace = z
  .object({
    block_number: integer.describe('Block of the last log shown whole.'),
    index: integer.describe('Index of the last log shown whole.'),
    items_count: itemsCountSent,
  })
  .partial()

export const transfersOfTokenBody = list(
  'TransfersOfToken',
  transferSchema,
  optionalPlace.extend(batch.partial().shape),
)

export const transfersOfTransactionBody = list(
  'TransfersOfTransaction',
  transferSchema,
  optionalPlace.extend({ type, ...batch.shape }),
)

export const logsBody = list(
  'Logs',
  logSchema,
  z.object({
    topic: hashString.optional().describe('As requested; absent if it was not.'),
    ...place,
    items_count,
  }),
)

export const holdersBody = list(
  'Holders',
  holderSchema,
  z.object({
    address_hash: lowerAddressString.describe('The last holder.'),
    value: amountOf,
    token_id: idOf.nullable().describe('Token id of the last item; null if it has none.'),
    items_count,
  }),
)
