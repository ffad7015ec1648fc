import type { NodeReader } from '../../../../../libs/adapters/rpc/node-reader.ts'
import { hash } from '../../../../../libs/chain/hex.ts'
import { nodeOf } from './audited-world.ts'

export const laterTransaction = hash(`0x${'f6'.repeat(32)}`)

/** A node with a block 6 besides, whose transaction Foldscan does not know. */
export function withOneBlockMore(): NodeReader {
  const inner = nodeOf()
  return nodeOf(
    {},
    {
      async block(number) {
        const five = await inner.block(5)
        const head = await inner.header(6)
        if (number !== 6 || five === null || head === null) return inner.block(number)
        const place = { blockHash: head.hash, blockNumber: 6 }
        const transactions = five.block.transactions.map((one) => ({
          ...{ ...one, ...place, hash: laterTransaction },
        }))
        const receipts = five.receipts.map((one) => ({
          ...{ ...one, ...place, transactionHash: laterTransaction, logs: [] },
        }))
        return { block: { ...five.block, number: 6, hash: head.hash, transactions }, receipts }
      },
    },
  )
}
