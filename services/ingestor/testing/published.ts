import { SourceOfValues } from '../../../test/support/source-of-values.ts'
import type { IngestorOptions } from '../ingestor.ts'
import { type InMemory, startInMemory } from './start-in-memory.ts'

const limits = { retryMinMs: 0, retryMaxMs: 1 }

/** Publishes a source that ends. @returns what halted the ingestor, or null */
export async function published(options: InMemory<IngestorOptions>): Promise<Error | null> {
  const ingestor = await startInMemory({ ...options, limits: { ...limits, ...options.limits } })
  const outcome = await Promise.race([ingestor.done, ingestor.failed])
  await ingestor.stop()
  return outcome ?? null
}

/** A source of so many blocks of one transaction each. */
export function chainOf(count: number): SourceOfValues {
  const source = new SourceOfValues()
  for (let number = 0; number < count; number++) source.grow(1)
  return source
}
