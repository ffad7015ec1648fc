import type { EventLog } from '../../libs/ports/event-log.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { type GroupName, groupId } from '../../libs/tables/declare/group-versions.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { deadLetterTopic } from '../../libs/topics/topics.ts'
import { type DimensionsProjector, startDimensions } from '../projector/facts/dimensions.ts'
import { factFolds } from '../projector/facts/fact-folds.ts'
import type { WriteThrough } from '../projector/loop/write-through.ts'
import { type Projector, startProjector } from '../projector/projector.ts'
import { decodedReader } from '../projector/reading/decoded-reader.ts'
import type { Components } from './process/run-until-stopped.ts'

interface StartGroupsOptions {
  readonly eventLog: EventLog
  readonly store: Store
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
  /** Of the deployment. */
  readonly chainId: number
  /** Writes to the cache that API processes share; none in embedded mode. */
  readonly writeThrough?: WriteThrough
  /** A volume of that name; the folding adds it to no component. */
  readonly openState: (name: string) => StateStore
}

/** Tables of a group, and where it records its progress. */
export const insertedTables = (group: GroupName): readonly string[] =>
  allTables.filter((one) => one.group === group || one === progress).map(({ stored }) => stored)

/** Topics that a group appends to. */
export const writtenTopics = (group: GroupName): readonly string[] => [
  ...(group === 'dimensions' ? factFolds.map(({ topic }) => deadLetterTopic(topic)) : []),
  'changes',
]

interface Groups {
  readonly onChain: readonly Projector[]
  readonly dimensions: DimensionsProjector | null
}

/** Groups of one process share a reader, so that a message is decoded once. */
export function startGroups(
  folding: StartGroupsOptions,
  onChain: readonly BlocksGroup[],
  withDimensions: boolean,
): Groups {
  const { eventLog, store, log, metrics, components, openState, writeThrough } = folding
  const reader = decodedReader(eventLog)
  const through = writeThrough === undefined ? {} : { writeThrough }
  const shared = { eventLog, store, metrics, log, ...through }
  const projectors = onChain.map((group) =>
    startProjector({ ...shared, reader, group, state: openState(groupId(group.name)) }),
  )
  const dimensions = withDimensions
    ? startDimensions({
        ...shared,
        chainId: folding.chainId,
        state: openState(groupId('dimensions')),
      })
    : null
  const all = [...projectors, ...(dimensions ? [dimensions] : [])]
  components.add({
    name: 'projectors',
    // Together: each finishes the flush that is under way.
    stop: async () => void (await Promise.all(all.map((projector) => projector.stop()))),
    failed: Promise.race(all.map(({ failed }) => failed)),
  })
  return { onChain: projectors, dimensions }
}
