import { type Pause, pauses, withPauses } from '../../../libs/chain/pauses.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import type { BlocksGroup, Changes, EntityChange } from '../../../libs/projections/group.ts'
import type { ReadMessage } from '../reading/decoded-reader.ts'
import { entityWrite, type GroupState } from '../volume/group-state.ts'
import { journalPartKey } from '../volume/state-keys.ts'
import { StateScratch } from '../volume/state-scratch.ts'
import { writeUndo } from '../volume/undo-records.ts'
import type { Batch } from './batch.ts'
import { acceptanceOf, advance, type Folded, foldingOf } from './fold.ts'
import type { ProjectorLimits } from './limits.ts'

interface SlicesParts {
  readonly group: BlocksGroup
  readonly state: StateStore
  readonly store: Store
  readonly limits: ProjectorLimits
  /** Empty: the message is its only one. */
  readonly batch: Batch
  /** Called before the first row is inserted, when `at` stands after the message. */
  readonly beforeRows: () => Promise<void>
}

/**
 * Folds a message that would fill the memory, or block the process, if it were folded at once.
 * Edited values go to a scratch file, the state's and undo records into the next commit's stage,
 * and rows into the store, above `progress`: they are a function of the log, so a kill leaves what
 * the next life writes again. Only the tables that a flush writes last wait for the commit, which
 * has to follow before another message is folded.
 *
 * @throws ReorganisationTooDeep before anything is changed.
 */
export async function foldInSlices(
  parts: SlicesParts,
  at: GroupState,
  read: ReadMessage,
): Promise<Folded> {
  const accepting = acceptanceOf(at, read)
  if (accepting.fate === 'skipped') {
    at.offset = read.offset + 1
    return accepting
  }
  const { message } = accepting
  const { group } = parts
  const scratch = new StateScratch(parts.state)
  try {
    const pause = pauses()
    const changes =
      at.undo === null
        ? []
        : await withPauses(foldingOf(group, at, message), pause, (draft) =>
            draft.held < parts.limits.editsHeldMax ? undefined : draft.spill(scratch),
          )
    advance(at, read, accepting)
    const isSilent = message.sequence <= at.silentUntil
    if (!isSilent) await parts.beforeRows()
    let slices = 0
    for await (const slice of slicesOf(changes, parts.limits.sliceChangesMax, pause)) {
      // What the loop asks for before the commit.
      at.entities.apply(slice.filter(({ entity }) => entity.isOnly === true))
      if (at.undo !== null) await stage(parts.state, message.sequence, { slice, part: slices })
      slices += 1
      if (isSilent) continue
      for (const rows of group.rows(message, slice, message.sequence)) {
        parts.batch.addAtOnce(rows)
        await pause()
        if (parts.batch.heldBytes < parts.limits.sliceRowBytesMax) continue
        parts.state.assertHeld()
        await parts.batch.insertHeld(parts.store)
      }
    }
    at.undo?.recordParts(message, slices)
  } finally {
    await scratch.close()
  }
  parts.batch.add([], read.wireBytes)
  return { fate: 'accepted', rows: [] }
}

/** At least one: rows of a group without state follow from the message, whose slice is empty. */
async function* slicesOf(
  changes: Changes,
  countMax: number,
  pause: Pause,
): AsyncGenerator<readonly EntityChange[]> {
  let slice: EntityChange[] = []
  let isFirst = true
  for (const change of changes) {
    // Each is read back from the scratch file and from the state.
    const paused = pause()
    if (paused !== undefined) await paused
    if (change === null) continue
    slice.push(change)
    if (slice.length < countMax) continue
    yield slice
    isFirst = false
    slice = []
  }
  if (isFirst || slice.length > 0) yield slice
}

async function stage(
  state: StateStore,
  sequence: number,
  { slice, part }: { readonly slice: readonly EntityChange[]; readonly part: number },
): Promise<void> {
  await state.stage([...slice.map(entityWrite), [journalPartKey(sequence, part), writeUndo(slice)]])
}
