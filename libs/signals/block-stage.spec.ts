import { expect, test } from 'vitest'
import { BlockStage, seenHeaders, seenIn } from './block-stage.ts'
import { startMetrics } from './metrics.ts'

async function countOf(
  reached: readonly (number | null)[],
  now: number,
): Promise<[number, number]> {
  const metrics = startMetrics()
  const stage = new BlockStage(metrics, 'stored')
  for (const seen of reached) stage.reached(seen, now)
  const text = await metrics.registry.metrics()
  const value = (name: string) =>
    Number(
      new RegExp(`^foldscan_block_stage_seconds_${name}{stage="stored"} (\\S+)$`, 'm').exec(
        text,
      )?.[1],
    )
  return [value('count'), value('sum')]
}

test('the age of a block travels beside its message', () => {
  expect(seenIn(seenHeaders(1_700_000_000_123).headers)).toBe(1_700_000_000_123)
  expect(seenHeaders(null)).toEqual({})
  for (const text of ['', 'soon', '-1', '1e3', '1'.repeat(16)]) {
    expect(seenIn({ 'seen-ms': text })).toBeNull()
  }
  expect(seenIn()).toBeNull()
})

test('a stage shows its series before the first block', async () => {
  expect(await countOf([], 0)).toEqual([0, 0])
})

test('a stage measures blocks since the ingestor had them, on a clock of its own', async () => {
  const seen = Date.now() + 60_000
  expect(await countOf([seen, seen], seen + 1_500)).toEqual([2, 3])
  expect(await countOf([seen], seen - 20)).toEqual([1, 0])
})

test('a stage leaves out backlogs, and what was there before the process', async () => {
  const before = Date.now() - 1
  expect(await countOf([null, before, before - 86_400_000], Date.now())).toEqual([0, 0])
})
