import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { startIngestor } from '../ingestor.ts'
import { startRepair } from '../repair.ts'

/** The options, of which the volume may be left out. */
export type InMemory<O extends { readonly state: unknown }> = Omit<O, 'state'> &
  Partial<Pick<O, 'state'>>

/** An ingestor whose volume nothing else has, unless one is given. */
export const startInMemory = (options: InMemory<Parameters<typeof startIngestor>[0]>) =>
  startIngestor({ ...options, state: options.state ?? memoryStateStore() })

/** The same of a repair. */
export const repairInMemory = (options: InMemory<Parameters<typeof startRepair>[0]>) =>
  startRepair({ ...options, state: options.state ?? memoryStateStore() })
