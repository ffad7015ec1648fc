import { createHash } from 'node:crypto'
import type { Store } from '../../libs/ports/store.ts'
import { logsByTransaction } from '../../libs/tables/tables/logs.ts'
import { transactions } from '../../libs/tables/tables/transactions.ts'
import { transfersByTransaction } from '../../libs/tables/tables/transfers.ts'
import { chainWithGreatBlock, type GreatKind } from './great-blocks.ts'

/** What the tables hold of the chain, in words that do not need all of it at once. */
export async function greatRowsIn(store: Store) {
  const ask = async (sql: string) => Number((await store.query(sql, {})).readBigUInt64LE(0))
  const inputs = await store.query(
    `SELECT lower(hex(SHA256(input))) AS input FROM ${transactions.stored}
      ORDER BY blockNumber, index`,
    {},
  )
  return {
    logs: await ask(`SELECT count() FROM ${logsByTransaction.stored}`),
    transfers: await ask(`SELECT count() FROM ${transfersByTransaction.stored}`),
    positions: await ask(
      `SELECT min(position) FROM (SELECT group, max(position) AS position FROM progress
        WHERE group NOT LIKE '%|%' GROUP BY group)`,
    ),
    inputs: createHash('sha256').update(inputs).digest('hex'),
  }
}

/** What they should hold. */
export function greatRowsOf(kind: GreatKind, megabytes: number) {
  const blocks = [...chainWithGreatBlock(kind, megabytes).blocks.values()]
  const all = blocks.flatMap((block) => block.transactions)
  const logs = all.reduce((sum, { logs }) => sum + logs.length, 0)
  const digests = all.map(({ input }) => {
    const digest = createHash('sha256')
      .update(Buffer.from(input.slice(2), 'hex'))
      .digest('hex')
    return Buffer.concat([Buffer.from([digest.length]), Buffer.from(digest)])
  })
  return {
    logs,
    transfers: kind === 'transfers' ? logs : 0,
    positions: 3,
    inputs: createHash('sha256').update(Buffer.concat(digests)).digest('hex'),
  }
}
