import { expect, test } from 'vitest'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import { position } from '../../libs/chain/position.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { blocksVersion } from '../../libs/topics/blocks.ts'
import { chainWithGreatBlock, type GreatKind } from '../../test/support/great-blocks.ts'
import { ingestorLimits } from './memory/ingestor-limits.ts'
import { TokenMemory } from './memory/token-memory.ts'
import { observeBlocks } from './observe-blocks.ts'

/** Looks at logs since the last place for a pause, and the most of them between two. */
const looks = { since: 0, most: 0, all: 0 }

/** A place for a pause at which nothing is waited for: what counts is the work between two. */
const pause = () => {
  looks.since = 0
  return undefined
}

/** Looks at logs between two places; a pass looks at each some times. */
const looksMax = 5_000

function looked(log: TransactionLog): TransactionLog {
  const look = <T>(value: T) => ({
    get: () => {
      looks.since += 1
      looks.all += 1
      looks.most = Math.max(looks.most, looks.since)
      return value
    },
    enumerable: true,
  })
  return Object.defineProperties(
    { ...log },
    { topics: look(log.topics), address: look(log.address) },
  )
}

async function greatBlock(kind: GreatKind) {
  const source = chainWithGreatBlock(kind, 3)
  const block = await source.block(1)
  if (block === null) throw new Error('no block')
  // All logs in one transaction: a pass that pauses between transactions does not pause.
  const [first] = block.transactions
  if (first === undefined) throw new Error('no transaction')
  const logs = block.transactions.flatMap((one) => one.logs).map(looked)
  const great: Block = { ...block, transactions: [{ ...first, logs }] }
  source.blocks.set(1, great)
  Object.assign(looks, { since: 0, most: 0, all: 0 })
  return { source, block: { ...great, contracts: [] }, count: logs.length }
}

const kinds = ['bare', 'logs', 'transfers', 'ranges'] as const

test.each(kinds)('a block of very many $0 is looked through in pieces', async (kind) => {
  const { source, block, count } = await greatBlock(kind)
  expect(count).toBeGreaterThan(looksMax)
  const memory = new TokenMemory({ state: memoryStateStore(), limits: ingestorLimits })
  const [limits, metrics] = [ingestorLimits, undefined]
  await observeBlocks([block], { source, memory, sampledFrom: 0, limits, metrics, pause })
  expect(looks.all).toBeGreaterThan(count)
  expect(looks.most, 'observeBlocks').toBeLessThan(looksMax)
  const envelope = { version: blocksVersion, sequence: position(1), chainId: 1 }
  const extras = { tokens: [], contracts: [] }
  await memory.note({ ...envelope, kind: 'block.applied', block, ...extras }, 1, pause)
  expect(looks.all).toBeGreaterThan(4 * count)
  expect(looks.most, 'TokenMemory').toBeLessThan(looksMax)
})
