import { setFlagsFromString } from 'node:v8'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { foldedTables } from '../../libs/tables/all-tables.ts'
import { decodedReader } from './decoded-reader.ts'
import { projectorLimits } from './limits.ts'
import type { ProjectorParts, ProjectorStatus } from './projector-parts.ts'
import { Runner } from './runner.ts'

export interface Projector {
  status(): ProjectorStatus
  /** Resolves when all up to `position` can be read and was announced. @throws if it fails. */
  waitFor(position: number): Promise<void>
  /** Finishes the flush that is under way; what is folded beyond it is folded again. */
  stop(): Promise<void>
  /** Resolves with the reason when the projector cannot go on; pends while it runs or stops. */
  readonly failed: Promise<Error>
}

/** Starts to fold `blocks` through one group into tables. */
export function startProjector(parts: ProjectorParts): Projector {
  const limits = { ...projectorLimits, ...parts.limits }
  const reader = parts.reader ?? decodedReader(parts.log)
  const between = parts.between ?? (async () => {})
  boundHeap()
  const writeThrough = parts.writeThrough ?? (async () => {})
  const tables = tablesOf(parts.group)
  const given = { tables, signals: silentLog, ...parts, limits, reader, between, writeThrough }
  const runner = new Runner(given)
  const ended = runner.run()
  return {
    status: () => runner.status(),
    waitFor: (position) => runner.waiting.until(position),
    failed: new Promise((resolve) => ended.then((error) => error !== null && resolve(error))),
    async stop() {
      runner.stop()
      await ended
    },
  }
}

const tablesOf = ({ name }: BlocksGroup): readonly string[] =>
  foldedTables.filter(({ group }) => group === name).map((table) => table.name)

/** How much may be allocated between two collections of the old heap, in percent of what lives. */
const heapGrowthMaxPercent = 100

/**
 * Folding keeps little and throws away much. Left alone, V8 lets the heap of a process that is
 * always busy grow to four times what lives, to collect less often. For the whole process, and
 * read at each collection. Figures in libs/README.md.
 */
function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthMaxPercent}`)
}
