import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import { batchTopic, singleTopic, transferTopic } from '../../libs/projections/transfers.ts'

const transferTopics: ReadonlySet<string | undefined> = new Set([
  transferTopic,
  singleTopic,
  batchTopic,
])

/** Addresses that emitted a log of the form of a transfer, in order of appearance. */
export function tokensIn(block: Block): readonly Address[] {
  const found = new Set<Address>()
  for (const { logs } of block.transactions) {
    for (const { topics, address } of logs) if (transferTopics.has(topics[0])) found.add(address)
  }
  return [...found]
}
