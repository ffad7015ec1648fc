import { z } from 'zod'
import { pauses } from '../../../chain/pauses.ts'
import {
  blockSchema,
  type RpcBlock,
  type RpcReceipt,
  receiptLogSchema,
  receiptSchema,
} from './rpc-schemas.ts'

/** Logs and receipts of a block that are validated with pauses. */
const manyMin = 2_000
const atOnceMax = 100

const someLogs = z.array(receiptLogSchema)
const raw = z.array(z.looseObject({ logs: z.array(z.unknown()) }))

/** Many receipts or logs, as `receiptsSchema` reads them; else null, also if one is wrong. */
export async function manyReceiptsFrom(said: unknown): Promise<readonly RpcReceipt[] | null> {
  const read = raw.safeParse(said)
  if (!read.success) return null
  const count = read.data.reduce((sum, { logs }) => sum + 1 + logs.length, 0)
  if (count < manyMin) return null
  const pause = pauses()
  const receipts: RpcReceipt[] = []
  for (const { logs, ...others } of read.data) {
    const receipt = receiptSchema.safeParse({ ...others, logs: [] })
    if (!receipt.success) return null
    const taken: RpcReceipt['logs'] = []
    for (let at = 0; at < logs.length; at += atOnceMax) {
      const some = someLogs.safeParse(logs.slice(at, at + atOnceMax))
      if (!some.success) return null
      taken.push(...some.data)
      await pause()
    }
    receipts.push({ ...receipt.data, logs: taken })
    await pause()
  }
  return receipts
}

const rawBlock = z.looseObject({ transactions: z.array(z.unknown()) })
const someTransactions = blockSchema.pick({ transactions: true })

/** A block of many transactions, as `blockSchema` reads it; else null, also if it is wrong. */
export async function blockOfManyFrom(said: unknown): Promise<RpcBlock | null> {
  const read = rawBlock.safeParse(said)
  if (!read.success || read.data.transactions.length < manyMin) return null
  const { transactions: raws, ...others } = read.data
  const header = blockSchema.safeParse({ ...others, transactions: [] })
  if (!header.success) return null
  const pause = pauses()
  const transactions: RpcBlock['transactions'] = []
  for (let at = 0; at < raws.length; at += atOnceMax) {
    const some = someTransactions.safeParse({ transactions: raws.slice(at, at + atOnceMax) })
    if (!some.success) return null
    transactions.push(...some.data.transactions)
    await pause()
  }
  return { ...header.data, transactions }
}
