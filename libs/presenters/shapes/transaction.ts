import { z } from 'zod'
import { lendingTypes, poolTypes, protocols } from '../../chain/action.ts'
import { address } from './address.ts'
import { decodedInput } from './decoded.ts'
import { named } from './named.ts'
import { transfer } from './transfer.ts'
import { amount, bytes, checksummed, hash, integer, moment, rate, words } from './words.ts'

const authorization = z.object({
  address_hash: checksummed.nullable(),
  authority: checksummed.nullable(),
  chain_id: z.union([integer, amount]),
  nonce: z.union([integer, amount]),
})

const action = z.object({
  protocol: z.enum(protocols),
  type: z.enum([...lendingTypes, ...poolTypes]),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})

export const transactionTypes = z.array(
  z.enum([
    'contract_creation',
    'contract_call',
    'coin_transfer',
    'token_transfer',
    'token_creation',
    'blob_transaction',
    'set_code_transaction',
  ]),
)

export const status = z.enum(['ok', 'error']).nullable()

const prices = {
  gas_used: amount,
  gas_price: amount,
  max_fee_per_gas: amount.nullable(),
  max_priority_fee_per_gas: amount.nullable(),
  base_fee_per_gas: amount.nullable(),
  priority_fee: amount.nullable(),
  transaction_burnt_fee: amount.nullable(),
}

const confirmationDuration = z
  .union([z.tuple([z.literal(0), integer]), z.tuple([])])
  .describe('[0, n]: n milliseconds after its parent; [] where the parent is not known')

/** See `../transaction.ts`. */
export const transaction = named(
  'Transaction',
  z.object({
    hash,
    timestamp: moment,
    block_number: integer,
    position: integer,
    nonce: integer,
    type: integer,
    status,
    result: z.string(),
    revert_reason: words,
    method: words,
    confirmations: integer,
    confirmation_duration: confirmationDuration,
    from: address,
    to: address.nullable(),
    created_contract: address.nullable(),
    fee: z.object({
      type: z.literal('actual').describe('never maximum: pending transactions are not indexed'),
      value: amount,
    }),
    gas_limit: integer.describe('at most 2^53-1: a larger one is shown as that'),
    ...prices,
    exchange_rate: rate,
    historic_exchange_rate: rate,
    value: amount,
    raw_input: bytes,
    decoded_input: decodedInput.nullable(),
    token_transfers: z.array(transfer),
    token_transfers_overflow: z.boolean(),
    transaction_types: transactionTypes,
    has_error_in_internal_transactions: z.boolean().nullable(),
    actions: z.array(action),
    transaction_tag: z.null().describe('always null: there are no accounts of users'),
    authorization_list: z.array(authorization),
    is_pending_update: z.literal(false).describe('always false: a block is shown when it is whole'),
    fhe_operations_count: z.literal(0).describe('always 0: encrypted operations are not indexed'),
  }),
)
