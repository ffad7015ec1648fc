import { describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import { SourceOfValues } from '../../../test/support/source-of-values.ts'
import { type Fault, unreliableLog } from '../../../test/support/unreliable-log.ts'
import { startInMemory } from '../testing/start-in-memory.ts'

const limits = { retryMinMs: 0, retryMaxMs: 1, blocksAheadMax: 4 }

/** Publishes twenty blocks into a log with these faults. */
async function publishedThrough(faults: Parameters<typeof unreliableLog>[1]) {
  const eventLog = memoryEventLog()
  const source = new SourceOfValues()
  for (let number = 0; number < 20; number++) source.grow(1)
  const metrics = startMetrics()
  const unreliable = unreliableLog(eventLog, faults)
  const ingestor = await startInMemory({ source, eventLog: unreliable, metrics, limits })
  const outcome = await Promise.race([ingestor.done, ingestor.failed])
  await ingestor.stop()
  const { values } = await metrics.logRetries.get()
  const { accepted, skipped } = await chainInLog(eventLog)
  return { outcome, skipped, retries: values, sequences: accepted.map(({ sequence }) => sequence) }
}

const twenty = Array.from({ length: 20 }, (_, at) => at + 1)

describe('an ingestor whose log is unavailable', () => {
  it.each<[Fault]>([['lost'], ['unheard']])(
    'goes on after an append that was %s',
    async (fault) => {
      const published = await publishedThrough({ append: [null, fault, fault, null, fault] })
      expect(published).toMatchObject({ outcome: undefined, skipped: [], sequences: twenty })
      expect(published.retries).toMatchObject([{ labels: { part: 'ingestor' }, value: 3 }])
    },
  )

  it('goes on when it cannot read back at once what was on its way', async () => {
    // The first read is of the start: its failure is the caller's.
    const published = await publishedThrough({
      append: ['unheard'],
      read: [null, null, 'lost', 'lost'],
    })
    expect(published).toMatchObject({ outcome: undefined, skipped: [], sequences: twenty })
  })
})
