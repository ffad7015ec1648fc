import { z } from 'zod'
import {
  holdersBody,
  logsBody,
  nftsBody,
  tokenBalancesBody,
  transactionsBody,
  transfersOfTokenBody,
  transfersOfTransactionBody,
  unpagedBalancesBody,
} from './list-bodies.ts'
import * as forms from './parameters/forms.ts'
import type { Declared } from './parameters/query.ts'
import { summaryBodySchema } from './summary/summary.ts'
import { tokenSchema } from './token.ts'

/** An endpoint as clients see it: path, parameters, what it answers. Validation, cursors and the
 * OpenAPI document all read this one declaration. */
export interface Endpoint<D extends Declared> {
  readonly path: string
  /** What stands in the path's one parameter. */
  readonly subject: 'address' | 'transaction'
  /** Whether an unknown subject is a 404. */
  readonly mayBeUnknown: boolean
  readonly summary: string
  /** The shape of what it answers. */
  readonly body: z.ZodType
  readonly parameters: D
}

const endpoint = <D extends Declared>(declared: Endpoint<D>): Endpoint<D> => declared

const { itemsCount: items_count, blockNumber: block_number, index } = forms

const batch = {
  batch_log_index: forms.index,
  batch_block_hash: forms.hashParameter,
  batch_transaction_hash: forms.hashParameter,
  index_in_batch: forms.index,
}

export const tokensOfAddress = endpoint({
  path: '/api/v2/addresses/{address_hash}/tokens',
  subject: 'address',
  mayBeUnknown: false,
  summary: 'Token balances of an address, by fiat value, then by amount',
  body: tokenBalancesBody,
  parameters: z.object({
    type: forms.standardsList,
    fiat_value: forms.fraction,
    value: forms.amount,
    id: forms.balanceId,
    token_name: forms.freeText,
    token_type: forms.standard,
    items_count,
  }),
})

export const transactionsOfAddress = endpoint({
  path: '/api/v2/addresses/{address_hash}/transactions',
  subject: 'address',
  mayBeUnknown: false,
  summary: 'Transactions that an address sent, received or was created by',
  body: transactionsBody,
  parameters: z.object({
    filter: forms.oneOf('The side on which the address stands.', ['to', 'from']),
    sort: forms.oneOf('What to sort by; together with order.', ['block_number', 'value', 'fee']),
    order: forms.oneOf('The direction; together with sort.', ['asc', 'desc']),
    block_number,
    index,
    inserted_at: forms.momentParameter,
    hash: forms.hashParameter,
    value: forms.amount,
    fee: forms.amount,
    items_count,
  }),
})

export const tokenBalancesOfAddress = endpoint({
  path: '/api/v2/addresses/{address_hash}/token-balances',
  subject: 'address',
  mayBeUnknown: false,
  summary: 'All token balances of an address',
  body: unpagedBalancesBody,
  parameters: z.object({}),
})

export const nftsOfAddress = endpoint({
  path: '/api/v2/addresses/{address_hash}/nft',
  subject: 'address',
  mayBeUnknown: false,
  summary: 'NFTs of an address',
  body: nftsBody,
  parameters: z.object({
    type: forms.standardsList,
    token_contract_address_hash: forms.addressParameter,
    token_id: forms.amount,
    token_type: forms.standard,
    items_count,
  }),
})

export const transfersOfToken = endpoint({
  path: '/api/v2/tokens/{address_hash}/transfers',
  subject: 'address',
  mayBeUnknown: true,
  summary: 'Transfers of a token, newest first',
  body: transfersOfTokenBody,
  parameters: z.object({ block_number, index, ...batch, items_count }),
})

export const logsOfAddress = endpoint({
  path: '/api/v2/addresses/{address_hash}/logs',
  subject: 'address',
  mayBeUnknown: false,
  summary: 'Event logs that an address emitted, newest first',
  body: logsBody,
  parameters: z.object({ topic: forms.hashParameter, block_number, index, items_count }),
})

export const transfersOfTransaction = endpoint({
  path: '/api/v2/transactions/{transaction_hash}/token-transfers',
  subject: 'transaction',
  mayBeUnknown: true,
  summary: 'Token transfers of a transaction, in the order of its logs',
  body: transfersOfTransactionBody,
  parameters: z.object({ type: forms.standardsList, block_number, index, ...batch, items_count }),
})

export const holdersOfToken = endpoint({
  path: '/api/v2/tokens/{address_hash}/holders',
  subject: 'address',
  mayBeUnknown: true,
  summary: 'Holders of a token, greatest first',
  body: holdersBody,
  parameters: z.object({
    address_hash: forms.addressParameter,
    value: forms.amount,
    token_id: forms.amount,
    items_count,
  }),
})

export const summaryOfTransaction = endpoint({
  path: '/api/v2/transactions/{transaction_hash}/summary',
  subject: 'transaction',
  mayBeUnknown: true,
  summary: 'What a transaction did, in a sentence',
  body: summaryBodySchema,
  parameters: z.object({ just_request_body: forms.flag }),
})

export const tokenOfAddress = endpoint({
  path: '/api/v2/tokens/{address_hash}',
  subject: 'address',
  mayBeUnknown: true,
  summary: 'A token',
  body: tokenSchema,
  parameters: z.object({}),
})

/** All of them, in the order of the specification. */
export const endpoints: readonly Endpoint<Declared>[] = [
  tokensOfAddress,
  transactionsOfAddress,
  tokenBalancesOfAddress,
  nftsOfAddress,
  transfersOfToken,
  logsOfAddress,
  transfersOfTransaction,
  holdersOfToken,
  summaryOfTransaction,
  tokenOfAddress,
]
