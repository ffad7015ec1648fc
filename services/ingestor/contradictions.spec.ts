import { describe, expect, it } from 'vitest'
import { BlockRefused, SourceError } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { type LogFields, silentLog } from '../../libs/signals/log.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { SourceOfValues } from '../../test/support/source-of-values.ts'
import { chainOf, published } from './testing/published.ts'
import { startInMemory } from './testing/start-in-memory.ts'

const contradicting = (hash: string, sentence = 'receipts are 0 for 1') =>
  new SourceError('wrong-answer', sentence, `${hash}: ${sentence}`)
const times = (count: number, error: () => Error) => Array.from({ length: count }, error)

/** One block is asked for at a time, so that each trouble is one try. */
const outcome = (source: SourceOfValues) =>
  published({ source, eventLog: memoryEventLog(), limits: { blocksAheadMax: 1 } })

describe('a block that can never be accepted (decision 71)', () => {
  it('halts after eight contradictions of one hash in a row, with its page', async () => {
    const source = chainOf(3)
    source.troubles.push(...times(8, () => contradicting('0xa')))
    const failure = await outcome(source)
    expect(failure).toBeInstanceOf(BlockRefused)
    expect(failure?.message).toContain('contradictory answers 8 times: receipts are 0 for 1')
    expect(failure?.message).toContain(runbooks.blockRefused)
  })

  it('also where the node is out of reach in between', async () => {
    const source = chainOf(3)
    const away = ['unreachable', 'timed-out', 'rate-limited', 'unavailable'] as const
    for (const kind of [...away, ...away]) {
      source.troubles.push(contradicting('0xa'), new SourceError(kind, kind))
    }
    expect(await outcome(source)).toBeInstanceOf(BlockRefused)
  })

  it.each<[string, () => Error[]]>([
    ['is behind', () => times(30, () => new SourceError('half-answer', 'came without receipts'))],
    ['flaps between hashes', () => [0, 1, 2].flatMap((n) => times(7, () => contradicting(`${n}`)))],
    [
      'says something else each time',
      () => Array.from({ length: 30 }, (_, at) => contradicting('0xa', `receipts are ${at}`)),
    ],
    [
      'is one of several that disagree',
      () =>
        Array.from({ length: 30 }, (_, at) =>
          at % 4 === 3 ? new SourceError('half-answer', 'no block 1') : contradicting('0xa'),
        ),
    ],
    ['answers nonsense', () => times(30, () => new SourceError('wrong-answer', 'no JSON'))],
  ])('is none where the node %s', async (_, troubles) => {
    const source = chainOf(3)
    source.troubles.push(...troubles())
    expect(await outcome(source)).toBeNull()
  })

  it('is reported by the log with its page from the second try on, and by the status', async () => {
    const source = chainOf(3)
    const lines: LogFields[] = []
    const log = { ...silentLog, warn: (fields: LogFields) => void lines.push(fields) }
    source.troubles.push(...times(8, () => contradicting('0xa')))
    const limits = { blocksAheadMax: 1, retryMinMs: 0, retryMaxMs: 1 }
    const ingestor = await startInMemory({ source, eventLog: memoryEventLog(), log, limits })
    await ingestor.failed
    expect(lines.map(({ runbook }) => runbook)).toEqual([
      runbooks.nodeUnavailable,
      ...times(6, () => new Error()).map(() => runbooks.blockRefused),
    ])
    expect(ingestor.status()).toMatchObject({ phase: 'halted', trouble: { kind: 'block-refused' } })
  })
})
