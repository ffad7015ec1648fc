import { z } from 'zod'
import { address } from '../../../../libs/chain/hex.ts'
import { standards } from '../../../../libs/chain/token.ts'

/** Bodies of the API, as far as an audit reads them. */

const addressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(address)
const amount = z
  .string()
  .regex(/^\d+$/)
  .transform((digits) => BigInt(digits))
const shownAddress = z.looseObject({ hash: addressText })
const next = z.record(z.string(), z.unknown()).nullable()

const listOf = <S extends z.ZodType>(item: S) =>
  z.looseObject({ items: z.array(item), next_page_params: next })

export const shownToken = z.looseObject({
  address_hash: addressText,
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.string().nullable(),
  type: z.enum(standards),
  holders_count: z.union([z.string(), z.number()]).nullable(),
  total_supply: z.string().nullable(),
})
export type ShownToken = z.output<typeof shownToken>

export const shownHolders = listOf(
  z.looseObject({ address: shownAddress, value: amount, token_id: amount.nullable() }),
)

export const shownBalances = z.array(
  z.looseObject({ token: shownToken, token_id: amount.nullable(), value: amount }),
)

export const shownNfts = listOf(z.looseObject({ id: amount, token: shownToken, value: amount }))

export const shownTransfers = listOf(
  z.looseObject({
    block_hash: z.string(),
    block_number: z.number(),
    transaction_hash: z.string(),
    log_index: z.number(),
    from: shownAddress,
    to: shownAddress,
    token: shownToken,
    total: z.looseObject({
      value: amount,
      token_id: amount.nullish(),
      token_instance: z.looseObject({ owner: shownAddress.nullable() }).nullish(),
    }),
  }),
)
export type ShownTransfer = z.output<typeof shownTransfers>['items'][number]

export const shownLog = z.looseObject({
  address: shownAddress,
  block_hash: z.string(),
  block_number: z.number(),
  transaction_hash: z.string(),
  index: z.number(),
  data: z.string(),
  topics: z.array(z.string().nullable()),
})
export type ShownLog = z.output<typeof shownLog>
export const shownLogs = listOf(shownLog)

export const shownTransactions = listOf(
  z.looseObject({ hash: z.string(), block_number: z.number(), position: z.number() }),
)

/** What a summary is made from: the transaction by its hash, and its logs. */
export const shownRequest = z.looseObject({
  data: z.looseObject({ hash: z.string() }),
  logs_data: z.looseObject({ items: z.array(shownLog) }),
  chain_id: z.number(),
})
