import type { StateStore } from '../../libs/ports/state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { undoBlocksMax } from '../../libs/topics/branch.ts'
import {
  type Checkpoint,
  checkpointSequences,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint.ts'
import { rawUndo } from './journal.ts'
import { checkpointKey, entityKey, journalKey, outboxKey } from './state-keys.ts'

type Write = readonly [key: Buffer, value: Buffer | null]

/**
 * Takes the volume back to its newest checkpoint whose rows the store has, in one commit.
 * From there the group writes the same rows again, and announces them again.
 *
 * @returns null if no checkpoint is kept that is old enough, or its undo records are not.
 */
export async function rewind(
  group: BlocksGroup,
  state: StateStore,
  { newest, progress }: { newest: Checkpoint; progress: number },
): Promise<Checkpoint | null> {
  const sequences = checkpointSequences(state)
  const target = sequences.findLast((sequence) => sequence <= progress)
  const old = target === undefined ? null : readCheckpoint(state, target)
  if (target === undefined || old === null) return null
  const writes: Write[] = []
  if (group.entities.length > 0) {
    for (let at = newest.accepted.sequence; at > target; at--) {
      const journal = state.get(journalKey(at))
      if (journal === undefined) return null
      for (const { tag, id, before } of rawUndo(journal)) writes.push([entityKey(tag, id), before])
      writes.push([journalKey(at), null])
    }
  }
  for (const sequence of sequences) {
    if (sequence > target) writes.push([checkpointKey(sequence), null], [outboxKey(sequence), null])
  }
  const journalFloor = Math.max(old.journalFloor, newest.journalFloor)
  const branch = old.branch.filter(({ sequences: [first] }) => Number(first) >= journalFloor)
  // Reverts that came since took the records with them, and will be folded again.
  if (isGivenUp(old, branch) && newest.branch.length < undoBlocksMax) return null
  const checkpoint = { ...old, journalFloor, branch }
  await state.commit([...writes, writeCheckpoint(checkpoint)])
  return checkpoint
}

/** Nothing is left to go back by; where the branch is full, no revert can have done that. */
const isGivenUp = (old: Checkpoint, kept: Checkpoint['branch']): boolean =>
  old.branch.length > 0 && kept.length === 0
