import { z } from 'zod'
import { pauses } from '../../chain/pauses.ts'
import { type RpcReceipt, receiptLogSchema, receiptSchema } from './rpc-schemas.ts'

/** Logs of a block that are validated with pauses. */
const manyLogsMin = 2_000
const logsAtOnceMax = 100

const someLogs = z.array(receiptLogSchema)
const raw = z.array(z.looseObject({ logs: z.array(z.unknown()) }))

/** Receipts with many logs, as `receiptsSchema` reads them; else null, also if one is wrong. */
export async function manyReceiptsFrom(said: unknown): Promise<readonly RpcReceipt[] | null> {
  const read = raw.safeParse(said)
  if (!read.success) return null
  const count = read.data.reduce((sum, { logs }) => sum + logs.length, 0)
  if (count < manyLogsMin) return null
  const pause = pauses()
  const receipts: RpcReceipt[] = []
  for (const { logs, ...others } of read.data) {
    const receipt = receiptSchema.safeParse({ ...others, logs: [] })
    if (!receipt.success) return null
    const taken: RpcReceipt['logs'] = []
    for (let at = 0; at < logs.length; at += logsAtOnceMax) {
      const some = someLogs.safeParse(logs.slice(at, at + logsAtOnceMax))
      if (!some.success) return null
      taken.push(...some.data)
      await pause()
    }
    receipts.push({ ...receipt.data, logs: taken })
  }
  return receipts
}
