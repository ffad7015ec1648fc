import { setImmediate as breathe } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import { position } from '../../libs/chain/position.ts'
import { blocksVersion } from '../../libs/topics/blocks.ts'
import { chainWithGreatBlock } from '../../test/support/great-blocks.ts'
import { ingestorLimits } from './ingestor-limits.ts'
import { observeBlocks } from './observe-blocks.ts'
import { TokenMemory } from './token-memory.ts'

/** How often other work had a turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const turning = (async () => {
    while (!isDone) {
      await breathe()
      turns += 1
    }
  })()
  await work().finally(() => {
    isDone = true
  })
  await turning
  return turns
}

test.each(['bare', 'transfers'] as const)(
  'a block of very many $0 is looked through with pauses',
  async (kind) => {
    const source = chainWithGreatBlock(kind, 8)
    const block = await source.block(1)
    if (block === null) throw new Error('no block')
    const memory = new TokenMemory({ state: memoryStateStore(), limits: ingestorLimits })
    const [limits, metrics] = [ingestorLimits, undefined]
    const observing = { source, memory, sampledFrom: 0, limits, metrics }
    expect(await turnsDuring(() => observeBlocks([block], observing))).toBeGreaterThan(1)
    const envelope = { version: blocksVersion, sequence: position(1), chainId: 1 }
    const message = {
      ...envelope,
      kind: 'block.applied',
      block,
      tokens: [],
      contracts: [],
    } as const
    expect(await turnsDuring(async () => memory.note(message, 1))).toBeGreaterThan(1)
  },
)
