import { expect, it } from 'vitest'
import { eventTopic } from '../../../libs/chain/abi-words.ts'
import type { TransactionLog } from '../../../libs/chain/block.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../../test/support/source-of-values.ts'
import { ingestorLimits } from '../memory/ingestor-limits.ts'
import { published } from '../testing/published.ts'

const token = tokenAddress(7)
const upgradedLog = (address: Address): TransactionLog => ({
  index: 0,
  address,
  topics: [eventTopic('Upgraded(address)')],
  data: '0x',
})
const upgraded = upgradedLog(token)

/** Blocks as of which a token is asked. */
const blocksAsked = ({ asked }: SourceOfValues, of = token): readonly number[] =>
  asked.filter(([, tokens]) => tokens.includes(of)).map(([block]) => block)

async function askedAt(source: SourceOfValues): Promise<readonly number[]> {
  const eventLog = memoryEventLog()
  const limits = { ...ingestorLimits, blocksAheadMax: 1, retryMinMs: 0 }
  expect(await published({ source, eventLog, limits })).toBeNull()
  expect((await chainInLog(eventLog)).skipped).toEqual([])
  return blocksAsked(source)
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
  const eventLog = memoryEventLog()
  const limits = { ...ingestorLimits, blocksAheadMax: 1, retryMinMs: 0, wordsAgeBlocks: 20 }
  expect(await published({ source, eventLog, limits })).toBeNull()
  expect(source.asked.map(([block]) => block)).toEqual([0, 21, 42])
})

it('lets no new token wait behind those that are asked again', async () => {
  const source = new SourceOfValues()
  const old = Array.from({ length: 12 }, (_, at) => tokenAddress(0x100 + at))
  const fresh = Array.from({ length: 5 }, (_, at) => tokenAddress(0x200 + at))
  for (let at = 0; at < old.length; at += 4) source.grow(1, old.slice(at, at + 4))
  while ((await source.head()) < 29) source.grow(1)
  source.grow(1, [], old.map(upgradedLog))
  source.grow(1, fresh)
  for (let more = 0; more < 20; more++) source.grow(1)
  const bounds = { waitingTokensMax: old.length, askedTokensMax: 4, changedTokensMax: 4 }
  const limits = { ...ingestorLimits, blocksAheadMax: 1, retryMinMs: 0, ...bounds }
  expect(await published({ source, eventLog: memoryEventLog(), limits })).toBeNull()
  // The fifth is one too many for its own block.
  expect(fresh.map((each) => blocksAsked(source, each))).toEqual([[31], [31], [31], [31], [32]])
  expect(old.map((each) => blocksAsked(source, each).length)).toEqual(old.map(() => 2))
})
