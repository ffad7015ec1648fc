import { describe, expect, it } from 'vitest'
import { contract } from '../../libs/projections/testing/facts.ts'
import type { Fetched } from './fetch-nft.ts'
import { enricherLimits as limits } from './limits.ts'
import type { DueNft } from './nft-queue.ts'
import { resultOf } from './nft-result.ts'

const now = 1_700_000_000_500
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const due = (failures: number, isFilled = false): DueNft => ({
  ...{ token: contract(1), tokenId: 7n, function: 'tokenURI', isFilled, failures },
  ...{ dueAt: now, triedAt: null },
})
const failed = (fault: 'content' | 'server' | 'rate', result: 'status' | 'no-uri' = 'status') =>
  ({ kind: 'failed', result, reason: 'broken', fault }) as const

const pauseOf = (fetched: Fetched, failures: number) => {
  const { outcome } = resultOf(due(failures), fetched, { now, tookMs: 0, limits })
  return 'nextAt' in outcome ? outcome.nextAt - now : null
}

describe('after a failure an NFT is due', () => {
  it.each<[string, Fetched, number, number]>([
    ['soon where a server failed once', failed('server'), 0, minute],
    ['later the more often a server failed', failed('server'), 5, 7 * day],
    ['once a month in the end', failed('server'), 200, 30 * day],
    ['in a day where its document is at fault', failed('content'), 0, day],
    ['soon where its contract may be newer than the node', failed('content', 'no-uri'), 0, minute],
    ['in a day where its contract names nothing again', failed('content', 'no-uri'), 1, day],
    ['in an hour at most where a server has had too many requests', failed('rate'), 200, hour],
  ])('%s', (_, ...[fetched, failures, pause]) => expect(pauseOf(fetched, failures)).toBe(pause))
})

describe('a contract rests', () => {
  const restOf = (fetched: Fetched, tookMs: number) =>
    resultOf(due(0), fetched, { now, tookMs, limits }).restMs
  const found = { kind: 'metadata', metadata: {} } as const
  const unanswered = { ...failed('content'), result: 'unanswered' } as const

  it.each<[string, Fetched, number, number]>([
    ['a moment after a fast fetch', found, 3, limits.contractSpacingMs],
    ['as long as a slow fetch took', found, 9_000, 9_000],
    ['ten times as long as its call was not answered', unanswered, 5_000, 50_000],
    ['no longer than the bound', unanswered, 90_000, limits.restMaxMs],
    ['where a server has had too many requests', failed('rate'), 100, limits.busyPauseMs],
    ['where nobody had time for it', { kind: 'busy' }, 0, limits.busyPauseMs],
  ])('%s', (_, ...[fetched, tookMs, rest]) => expect(restOf(fetched, tookMs)).toBe(rest))
})

it('says nothing of a failure on the log where there is metadata, or of what was put off', () => {
  const factOf = (nft: DueNft, fetched: Fetched) =>
    resultOf(nft, fetched, { now, tookMs: 0, limits }).fact
  expect(factOf(due(0, true), failed('server'))).toBeNull()
  expect(factOf(due(0), { kind: 'busy' })).toBeNull()
  expect(factOf(due(0), failed('server'))).toMatchObject({
    time: 1_700_000_000,
    failure: { reason: 'broken', nextAttempt: 1_700_000_061 },
  })
})
