import { z } from 'zod'
import { standards } from '../chain/token.ts'
import { balanceSchema, holderSchema, unpagedBalanceSchema } from './balance.ts'
import { nftSchema } from './instance.ts'
import { logSchema } from './log.ts'
import {
  decimalString,
  hashString,
  integer,
  lowerAddressString,
  named,
  textOrNull,
  timeString,
} from './schemas.ts'
import { transactionSchema } from './transaction.ts'
import { transferSchema } from './transfer.ts'

const next = 'Send every key back as a query parameter for the next page; null at the end.'

const list = <I extends z.ZodType, C extends z.ZodType>(id: string, item: I, cursor: C) =>
  named(id, z.object({ items: z.array(item), next_page_params: cursor.nullable().describe(next) }))

const items_count = integer
/** Filters by standard ride in cursors, as all that is not the default. */
const type = z.string().optional().describe('The requested standards, separated by commas.')
const place = { block_number: integer, index: integer }

export const tokenBalancesBody = list(
  'TokenBalances',
  balanceSchema,
  z.object({
    type,
    fiat_value: textOrNull,
    id: integer,
    items_count,
    value: decimalString,
    token_name: textOrNull,
    token_type: z.enum(standards),
  }),
)

export const transactionsBody = list(
  'Transactions',
  transactionSchema,
  z.object({
    filter: z.enum(['to', 'from']).optional(),
    sort: z.enum(['block_number', 'value', 'fee']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    ...place,
    inserted_at: timeString,
    hash: hashString,
    value: decimalString,
    fee: decimalString,
    items_count,
  }),
)

export const unpagedBalancesBody = named('UnpagedTokenBalances', z.array(unpagedBalanceSchema))

export const nftsBody = list(
  'Nfts',
  nftSchema,
  z.object({
    type,
    token_contract_address_hash: lowerAddressString,
    token_id: decimalString,
    token_type: z.enum(standards),
    items_count,
  }),
)

const batch = z.object({
  batch_log_index: integer,
  batch_block_hash: hashString,
  batch_transaction_hash: hashString,
  index_in_batch: integer,
})
const optionalPlace = z.object({ ...place, items_count }).partial()

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
  z.object({ topic: hashString.optional(), ...place, items_count }),
)

export const holdersBody = list(
  'Holders',
  holderSchema,
  z.object({
    address_hash: lowerAddressString,
    value: decimalString,
    token_id: decimalString.nullable(),
    items_count,
  }),
)
