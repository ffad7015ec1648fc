import { expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { eventTopic } from '../../libs/chain/abi-words.ts'
import type { TransactionLog } from '../../libs/chain/block.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'
import { ingestorLimits } from './ingestor-limits.ts'
import { published } from './testing/published.ts'

const token = tokenAddress(7)
const upgraded: TransactionLog = {
  index: 0,
  address: token,
  topics: [eventTopic('Upgraded(address)')],
  data: '0x',
}

/** Blocks as of which the token is asked. */
async function askedAt(source: SourceOfValues): Promise<readonly number[]> {
  const log = memoryEventLog()
  const limits = { ...ingestorLimits, blocksAheadMax: 1, retryMinMs: 0 }
  expect(await published({ source, log, limits })).toBeNull()
  expect((await chainInLog(log)).skipped).toEqual([])
  return source.asked.filter(([, tokens]) => tokens.includes(token)).map(([block]) => block)
}

it('asks again what a token is called after it was upgraded (contract 65)', async () => {
  const source = new SourceOfValues()
  source.grow(1, [token])
  for (let block = 1; block < 20; block++) source.grow(1)
  source.grow(1, [], [upgraded])
  for (let block = 21; block < 60; block++) source.grow(1)
  expect(await askedAt(source)).toEqual([0, 21])
})

it('asks one that is upgraded in each block only every so many blocks', async () => {
  const source = new SourceOfValues()
  source.grow(1, [token])
  for (let block = 1; block < 50; block++) source.grow(1, [], [upgraded])
  const asked = await askedAt(source)
  expect(asked.length).toBeLessThanOrEqual(1 + Math.ceil(50 / ingestorLimits.wordsPauseBlocks))
  expect(asked.length).toBeGreaterThanOrEqual(3)
})

it('asks an active token again once its words are old', async () => {
  const source = new SourceOfValues()
  for (let block = 0; block < 50; block++) source.grow(1, [token])
  const log = memoryEventLog()
  const limits = { ...ingestorLimits, blocksAheadMax: 1, retryMinMs: 0, wordsAgeBlocks: 20 }
  expect(await published({ source, log, limits })).toBeNull()
  expect(source.asked.map(([block]) => block)).toEqual([0, 21, 42])
})
