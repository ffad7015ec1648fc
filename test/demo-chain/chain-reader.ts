import { z } from 'zod'
import { jsonRpc } from '../../services/demo-chain/json-rpc.ts'

const number = z.string().transform(Number)
const block = z.object({
  hash: z.string(),
  parentHash: z.string(),
  transactions: z.array(z.object({ hash: z.string(), type: number })),
})
const receipts = z.array(
  z.object({ status: number, logs: z.array(z.object({ topics: z.array(z.string()) })) }),
)

export interface ReadBlock extends z.output<typeof block> {
  readonly receipts: z.output<typeof receipts>
}

/** Blocks 1 .. head as a node returns them. */
export async function readBlocks(url: string, head: number): Promise<ReadBlock[]> {
  const rpc = jsonRpc(url)
  const read: ReadBlock[] = []
  for (let at = 1; at <= head; at++) {
    const number = `0x${at.toString(16)}`
    const [returned, logged] = await rpc.batch([
      { method: 'eth_getBlockByNumber', params: [number, true] },
      { method: 'eth_getBlockReceipts', params: [number] },
    ])
    read.push({ ...block.parse(returned), receipts: receipts.parse(logged) })
  }
  return read
}
