import { z } from 'zod'
import { lendingTypes, poolTypes, protocols } from '../../chain/action.ts'
import { decodedInputSchema } from '../abi/decoded.ts'
import { addressSchema } from '../address.ts'
import {
  bytesString,
  checksummedString,
  decimalOrNull,
  decimalString,
  hashString,
  integer,
  named,
  publishedAs,
  textOrNull,
  timeString,
} from '../schemas.ts'
import { authorizationSchema } from './authorization.ts'
import { transferSchema } from './transfer.ts'

const weiOrNull = decimalString.nullable()

const blobFields = z
  .object({
    blob_versioned_hashes: z
      .array(hashString)
      .nullable()
      .describe('Versioned hashes of the blobs. Type 3 only; null if the source lacks them.'),
    blob_gas_used: decimalString
      .nullable()
      .describe('Blob gas used. Type 3 only; null if the source lacks it.'),
    blob_gas_price: weiOrNull.describe(
      'Wei per unit of blob gas. Type 3 only; null if the source lacks it.',
    ),
    max_fee_per_blob_gas: weiOrNull.describe(
      'Highest accepted price, wei per unit of blob gas. Type 3 only; null if the source lacks it.',
    ),
    burnt_blob_fee: weiOrNull.describe(
      'Wei: blob_gas_used times blob_gas_price. Type 3 only; null if either is.',
    ),
  })
  .partial()

/** Fields of a sum, which those actions have that `what` names. */
const sumOf = (before: string, after: string, what: string) =>
  z
    .object({
      [`${before}amount${after}`]: textOrNull.describe(
        `Amount ${what}; whole tokens, null where its decimals are unknown.`,
      ),
      [`${before}symbol${after}`]: textOrNull.describe(
        `Symbol of the token ${what}; null if unknown, and where its decimals are.`,
      ),
      [`${before}address${after}`]: checksummedString.describe(`Address of the token ${what}.`),
    })
    .partial()

const actionSchema = z.object({
  protocol: z.enum(protocols).describe('Protocol; a fork with the same events counts as it.'),
  type: z.enum([...lendingTypes, ...poolTypes]).describe('Kind of action.'),
  data: z
    .object({
      ...sumOf('', '', 'of a lending action').shape,
      ...sumOf('debt_', '', 'repaid by liquidation_call').shape,
      ...sumOf('collateral_', '', 'taken by liquidation_call').shape,
      ...sumOf('', '0', 'of an action of a pool; paid, of a swap').shape,
      ...sumOf('', '1', 'of an action of a pool; received, of a swap').shape,
      block_number: integer.describe('Number of the block.'),
    })
    .describe('The sums that it moved, and its block.'),
})

const transactionTypesSchema = z
  .array(
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
  .describe('What it is, whatever its status; may be several.')

const statusSchema = z
  .enum(['ok', 'error'])
  .nullable()
  .describe('ok or error; null if the receipt has no status (before 2017) and there is no trace.')

const prices = {
  gas_used: decimalString.describe('Gas used.'),
  gas_price: decimalString.describe('Effective price, wei per unit of gas.'),
  max_fee_per_gas: weiOrNull.describe('Wei per unit of gas; null before EIP-1559 types.'),
  max_priority_fee_per_gas: weiOrNull.describe('Wei per unit of gas; null before EIP-1559 types.'),
  base_fee_per_gas: weiOrNull.describe(
    'Base fee of the block, wei per unit of gas; null if it has none.',
  ),
  priority_fee: weiOrNull.describe('Wei paid to the proposer; null where any fee per gas is.'),
  transaction_burnt_fee: weiOrNull.describe(
    'Wei burnt: base_fee_per_gas times gas_used; null if max_fee_per_gas or base_fee_per_gas is.',
  ),
}

/** Not a tuple: generators of clients refuse `items: false` and an empty `prefixItems`. */
const confirmationDurationSchema = z
  .array(integer)
  .max(2)
  .describe('[0, n]: n milliseconds after its parent; [] where the parent is not known')

const outcome = {
  status: statusSchema,
  result: z
    .string()
    .describe(
      'success, Reverted, the error of the trace, or awaiting_internal_transactions if unknown.',
    ),
  revert_reason: textOrNull.describe(
    'Decoded reason of a revert, else its raw hex; null if there is none, and if status is ok.',
  ),
}

const parties = {
  from: addressSchema.describe('Sender.'),
  to: addressSchema.nullable().describe('Recipient; null for a contract creation.'),
  created_contract: addressSchema
    .nullable()
    .describe('Created contract; null if to is set, and if the creation failed.'),
}

const call = {
  value: decimalString.describe('Wei sent to the recipient or to the created contract.'),
  raw_input: bytesString.describe('Input of the call, or init code of a creation.'),
  decoded_input: decodedInputSchema
    .nullable()
    .describe('Null without a known signature that fits, and for a creation.'),
  method: textOrNull.describe(
    'Name of the called function, else its selector; null without one, and for a creation.',
  ),
}

/** Schema of `transactionObject`. */
export const transactionSchema = named(
  'Transaction',
  z
    .object({
      hash: hashString.describe('Hash of the transaction.'),
      timestamp: timeString.describe('Time of the block, UTC.'),
      block_number: integer.describe('Number of the block.'),
      position: integer.describe('Index of the transaction in its block, from 0.'),
      nonce: integer.describe('Nonce of the sender.'),
      type: integer.describe('EIP-2718 type: 0 legacy, 2 EIP-1559, 3 blob, 4 set code.'),
      ...outcome,
      ...call,
      confirmations: integer.describe('Newest indexed block minus block_number, plus 1.'),
      confirmation_duration: confirmationDurationSchema,
      ...parties,
      fee: z
        .object({
          type: z
            .literal('actual')
            .describe('Never maximum: pending transactions are not indexed.'),
          value: decimalString.describe('Fee, wei.'),
        })
        .describe('What the sender paid, with the fees of a rollup and without the blob fee.'),
      gas_limit: publishedAs(
        integer.describe(
          'Gas that the sender allowed at most; a limit above 2^53-1 is shown as that.',
        ),
        decimalString.describe(
          'Gas that the sender allowed at most; a string, as the published schema of the API has it.',
        ),
      ),
      ...prices,
      exchange_rate: decimalOrNull.describe('US dollars per coin now; null if unknown.'),
      historic_exchange_rate: decimalOrNull.describe(
        'US dollars per coin on the day of the block; null within a day, and if unknown.',
      ),
      token_transfers: z
        .array(transferSchema)
        .describe('The first 10 token transfers, batches flattened, in the order of the logs.'),
      token_transfers_overflow: z.boolean().describe('Whether there are more token transfers.'),
      transaction_types: transactionTypesSchema,
      has_error_in_internal_transactions: z
        .boolean()
        .nullable()
        .describe('Whether an inner call failed; null without traces.'),
      actions: z
        .array(actionSchema)
        .describe('What it did with known protocols; a page shows at most 512 of them.'),
      transaction_tag: z.null().describe('Always null: there are no accounts of users.'),
      authorization_list: z
        .array(authorizationSchema)
        .describe('Authorizations of a type 4 transaction (EIP-7702); else empty.'),
      is_pending_update: z
        .literal(false)
        .describe('Always false: a block is shown when it is whole.'),
      fhe_operations_count: z
        .literal(0)
        .describe('Always 0: encrypted operations are not indexed.'),
      ...blobFields.shape,
    })
    .describe('A transaction in a block.'),
)
