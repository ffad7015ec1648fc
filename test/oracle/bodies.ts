import { z } from 'zod'
import type {
  BalanceFact,
  HolderFact,
  LogFact,
  NftFact,
  TokenFact,
  TransactionFact,
  TransferFact,
} from './facts.ts'

/** The facts of items, read out of the bodies of answers. */

const lower = z.string().transform((text) => text.toLowerCase())
const party = z.object({ hash: lower }).transform(({ hash }) => hash)
const token = z.object({ address_hash: lower, type: z.string() })
const words = z.string().nullable()

const balance = z.object({ token, token_id: words, value: z.string() })
export function balanceFactOf(item: unknown): BalanceFact {
  const { token, token_id, value } = balance.parse(item)
  return { token: token.address_hash, token_id, token_type: token.type, value }
}

const transfer = z.object({
  transaction_hash: z.string(),
  block_number: z.int(),
  log_index: z.int(),
  token,
  token_type: z.string(),
  from: party,
  to: party,
  type: z.string(),
  total: z.object({ token_id: words.optional(), value: z.string() }),
})
export function transferFactOf(item: unknown): TransferFact {
  const { token, total, ...rest } = transfer.parse(item)
  const { token_id = null, value } = total
  return { ...rest, token: token.address_hash, token_id, value }
}

const transaction = z.object({
  hash: z.string(),
  block_number: z.int(),
  position: z.int(),
  nonce: z.int(),
  type: z.int(),
  from: party,
  to: party.nullable(),
  created_contract: party.nullable(),
  status: words,
  value: z.string(),
  fee: z.object({ type: z.literal('actual'), value: z.string() }),
  gas_used: z.string(),
  transaction_types: z.array(z.string()),
  token_transfers: z.array(transfer),
  token_transfers_overflow: z.boolean(),
})
export function transactionFactOf(item: unknown): TransactionFact {
  const { fee, token_transfers, ...rest } = transaction.parse(item)
  return {
    ...rest,
    fee: fee.value,
    token_transfers: token_transfers.map(
      ({ log_index, total }) => `${log_index} ${total.token_id ?? null} ${total.value}`,
    ),
  }
}

const log = z.object({
  address: party,
  transaction_hash: z.string(),
  block_number: z.int(),
  index: z.int(),
  data: z.string(),
  topics: z.array(words),
})
export const logFactOf = (item: unknown): LogFact => log.parse(item)

const nft = z.object({ token, id: z.string(), token_type: z.string(), value: z.string() })
export function nftFactOf(item: unknown): NftFact {
  const { token, ...rest } = nft.parse(item)
  return { token: token.address_hash, ...rest }
}

const holder = z.object({ address: party, token_id: words, value: z.string() })
export const holderFactOf = (item: unknown): HolderFact => holder.parse(item)

const tokenBody = z.object({
  address_hash: lower,
  type: z.string(),
  name: words,
  symbol: words,
  decimals: words,
  holders_count: words,
  total_supply: words,
})
export function tokenFactOf(body: unknown): TokenFact {
  const { address_hash, ...rest } = tokenBody.parse(body)
  return { address: address_hash, ...rest }
}
