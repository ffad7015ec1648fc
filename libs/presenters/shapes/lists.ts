import { z } from 'zod'
import { standards } from '../../chain/token.ts'
import { balance, holder, unpagedBalance } from './balance.ts'
import { nft } from './instance.ts'
import { log } from './log.ts'
import { named } from './named.ts'
import { transaction } from './transaction.ts'
import { transfer } from './transfer.ts'
import { amount, hash, integer, lowerAddress, moment, words } from './words.ts'

const next = 'Send every key back as a query parameter for the next page; null at the end.'

const list = <I extends z.ZodType, C extends z.ZodType>(id: string, item: I, cursor: C) =>
  named(id, z.object({ items: z.array(item), next_page_params: cursor.nullable().describe(next) }))

const items_count = integer
const place = { block_number: integer, index: integer }

export const tokenBalances = list(
  'TokenBalances',
  balance,
  z.object({
    fiat_value: words,
    id: integer,
    items_count,
    value: amount,
    token_name: words,
    token_type: z.enum(standards),
  }),
)

export const transactions = list(
  'Transactions',
  transaction,
  z.object({
    filter: z.enum(['to', 'from']).optional(),
    sort: z.enum(['block_number', 'value', 'fee']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    ...place,
    inserted_at: moment,
    hash,
    value: amount,
    fee: amount,
    items_count,
  }),
)

export const unpagedBalances = named('UnpagedTokenBalances', z.array(unpagedBalance))

export const nfts = list(
  'Nfts',
  nft,
  z.object({
    token_contract_address_hash: lowerAddress,
    token_id: amount,
    token_type: z.enum(standards),
    items_count,
  }),
)

const batch = z.object({
  batch_log_index: integer,
  batch_block_hash: hash,
  batch_transaction_hash: hash,
  index_in_batch: integer,
})
const optionalPlace = z.object({ ...place, items_count }).partial()

export const transfersOfToken = list(
  'TransfersOfToken',
  transfer,
  optionalPlace.extend(batch.partial().shape),
)

export const transfersOfTransaction = list(
  'TransfersOfTransaction',
  transfer,
  optionalPlace.extend(batch.shape),
)

export const logs = list('Logs', log, z.object({ topic: hash.optional(), ...place, items_count }))

export const holders = list(
  'Holders',
  holder,
  z.object({
    address_hash: lowerAddress,
    value: amount,
    token_id: amount.nullable(),
    items_count,
  }),
)
