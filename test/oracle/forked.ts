import type { Block } from '../../libs/chain/block.ts'
import { type Hash, hash } from '../../libs/chain/hex.ts'

/**
 * Another branch in the place of the newest `depth` blocks, and an empty block on top: every
 * second transaction did not make it. `branch` makes the hashes of several differ.
 */
export function forked(chain: readonly Block[], depth: number, branch: number): Block[] {
  const fork: Block[] = []
  let parent = chain.at(-depth - 1)?.hash ?? chain[0]?.parentHash
  for (const orphan of chain.slice(-depth)) {
    const transactions = orphan.transactions.filter(({ index }) => index % 2 === branch % 2)
    fork.push(linked({ ...orphan, transactions }, parent, branch))
    parent = fork.at(-1)?.hash
  }
  const top = fork.at(-1)
  if (!top) throw new Error('nothing to fork')
  const { number, timestamp } = top
  const next = { ...top, number: number + 1, timestamp: timestamp + 12, transactions: [] }
  return [...fork, linked({ ...next, parentTimestamp: timestamp }, top.hash, branch)]
}

function linked(block: Block, parentHash: Hash | undefined, branch: number): Block {
  if (!parentHash) throw new Error('a block without a parent')
  const digits = `${block.number}${branch}`.padStart(12, '0')
  return { ...block, parentHash, hash: hash(`0x${'f0'.repeat(26)}${digits}`) }
}
