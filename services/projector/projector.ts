import { setFlagsFromString } from 'node:v8'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { BlocksLoop } from './loop/blocks-loop.ts'
import { projectorLimits } from './loop/limits.ts'
import type { ProjectorParts, ProjectorStatus } from './loop/projector-parts.ts'
import { type RunningGroup, runGroup } from './loop/run-group.ts'
import { decodedReader } from './reading/decoded-reader.ts'

export type Projector = RunningGroup<ProjectorStatus>

/** Starts to fold `blocks` through one group into tables. */
export function startProjector(parts: ProjectorParts): Projector {
  const limits = { ...projectorLimits, ...parts.limits }
  const reader = parts.reader ?? decodedReader(parts.eventLog)
  const between = parts.between ?? (async () => {})
  boundHeap()
  const writeThrough = parts.writeThrough ?? (async () => {})
  const tables = tablesOf(parts.group)
  const given = { tables, log: silentLog, ...parts, limits, reader, between, writeThrough }
  const { log, group } = given
  return runGroup({ group: group.name, log }, (life) => new BlocksLoop({ ...given, ...life }))
}

const tablesOf = ({ name }: BlocksGroup): readonly string[] =>
  foldedTables.filter(({ group }) => group === name).map(({ stored }) => stored)

/** How much may be allocated between two collections of the old heap, in percent of what lives. */
const heapGrowthMaxPercent = 100

/**
 * Folding keeps little and throws away much. Left alone, V8 lets the heap of a process that is
 * always busy grow to four times what lives, to collect less often. For the whole process, and
 * read at each collection. Figures in benchmarks/NOTES.md.
 */
function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthMaxPercent}`)
}
