import { OffsetLost } from '../../../libs/ports/event-log.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { events } from '../../../libs/signals/events.ts'
import { type Log, silentLog } from '../../../libs/signals/log.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { messageIdentity, undoBlocksMax } from '../../../libs/topics/acceptance.ts'
import type { DecodedReader, ReadMessage, ReadPart } from '../reading/decoded-reader.ts'
import {
  beginning,
  type Checkpoint,
  checkpointSequences,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint.ts'
import { checkpointKey, entityKey, everyPrefix, journalKey, outboxKey } from './state-keys.ts'
import { storedUndo, undoKeys, undoPartsOf } from './undo-records.ts'

interface Recovery {
  /** The last position whose rows are stored. */
  readonly progress: number
  /** Messages between the volume and it from which they are folded without writing rows. */
  readonly silentMin: number
  readonly log?: Log
}

/**
 * Resume point of the group: the volume's newest checkpoint, or an earlier one if `progress` is
 * lower. A volume that is far behind `progress` was lost and is a copy, or another process has
 * folded meanwhile: the rows are there.
 */
export async function recover(
  group: BlocksGroup,
  state: StateStore,
  { progress, silentMin, log = silentLog }: Recovery,
): Promise<Checkpoint> {
  // The life before may have ended, in this process, in the middle of a great message.
  await state.discardStaged()
  const newest = checkpointSequences(state).at(-1)
  if (newest === undefined) {
    await emptied(state)
    if (progress > 0) say(log, group, silently(progress))
    return beginning(progress)
  }
  const checkpoint = readCheckpoint(state, newest)
  if (checkpoint === null) {
    say(log, group, 'the state is of another format: folding from the beginning')
    await emptied(state)
    return beginning(progress)
  }
  if (newest + silentMin <= progress) {
    say(log, group, `the state is at position ${newest}: ${silently(progress)}`)
    return { ...checkpoint, silentUntil: progress }
  }
  if (newest <= progress) return noLongerSilent(checkpoint, progress)
  const rewound = await rewind(group, state, { newest: checkpoint, progress })
  if (rewound !== null) {
    say(
      log,
      group,
      `rows end at position ${progress}: went back from ${newest} to ` +
        `${rewound.accepted.sequence} by undo`,
    )
    return noLongerSilent(rewound, progress)
  }
  say(
    log,
    group,
    `rows end at position ${progress}, the state at ${newest}, and undo does ` +
      'not reach back: folding from the beginning',
  )
  await emptied(state)
  return beginning(progress)
}

const silently = (position: number) => `folding in silence up to position ${position}`

/** Rows that the store has lost since must be written again. */
function noLongerSilent(checkpoint: Checkpoint, progress: number): Checkpoint {
  return { ...checkpoint, silentUntil: Math.min(checkpoint.silentUntil, progress) }
}

/** Offset from which to read: the stored one, if the message before it is the one remembered. */
export async function resumeOffset(
  reader: DecodedReader,
  { accepted, offset, lastHash }: Pick<Checkpoint, 'accepted' | 'offset' | 'lastHash'>,
): Promise<number> {
  if (offset === 0) return 0
  const read = await messageAt(reader, offset - 1)
  if (read === undefined) return 0
  // Its last part names it by its hash: no need to read the others.
  if ('part' in read) return read.part.head.hash === lastHash ? offset : 0
  if ('invalid' in read.decoded) return 0
  const { message } = read.decoded
  const isSame =
    message.sequence === accepted.sequence &&
    messageIdentity(message) === accepted.remembered.at(-1)
  // A mirrored log has offsets of its own. From its start, acceptance skips what is known.
  return isSame ? offset : 0
}

async function messageAt(
  reader: DecodedReader,
  offset: number,
): Promise<ReadMessage | ReadPart | undefined> {
  try {
    const [read] = await reader.read(offset, { messagesMax: 1, bytesMax: 1 })
    return read
  } catch (error) {
    if (error instanceof OffsetLost) return undefined
    throw error
  }
}

/** Checkpoints are removed first: a half-emptied volume without them is never resumed from. */
const emptied = (state: StateStore): Promise<void> => removeAll(state, everyPrefix)

function say(log: Log, group: BlocksGroup, sentence: string): void {
  const fields = { event: events.projector.rewound, group: group.name, runbook: runbooks.stuck }
  log.warn(fields, `${group.name}: ${sentence}`)
}

/** Values of great messages do not fit into one commit. */
const stagedPerRunMax = 1_000

type Write = readonly [key: Buffer, value: Buffer | null]

/**
 * Takes the volume back to its newest checkpoint whose rows the store has, in one commit.
 * From there the group writes the same rows again, and announces them again.
 *
 * @returns null if no checkpoint is kept that is old enough, or its undo records are not.
 */
async function rewind(
  group: BlocksGroup,
  state: StateStore,
  { newest, progress }: { newest: Checkpoint; progress: number },
): Promise<Checkpoint | null> {
  const sequences = checkpointSequences(state)
  const target = sequences.findLast((sequence) => sequence <= progress)
  const old = target === undefined ? null : readCheckpoint(state, target)
  if (target === undefined || old === null) return null
  const hasState = group.entities.length > 0
  for (let at = newest.accepted.sequence; hasState && at > target; at--) {
    if (state.get(journalKey(at)) === undefined) return null
  }
  const journalFloor = Math.max(old.journalFloor, newest.journalFloor)
  const branch = old.branch.filter(({ sequences: [first] }) => Number(first) >= journalFloor)
  // Reverts that came since took the records with them, and will be folded again.
  if (isGivenUp(old, branch) && newest.branch.length < undoBlocksMax) return null
  let writes: Write[] = []
  for (let at = newest.accepted.sequence; hasState && at > target; at--) {
    for (const { tag, id, before } of storedUndo(state, at)) {
      writes.push([entityKey(tag, id), before])
      if (writes.length < stagedPerRunMax) continue
      await state.stage(writes)
      writes = []
    }
    for (const key of undoKeys(at, undoPartsOf(state, at))) writes.push([key, null])
  }
  for (const sequence of sequences) {
    if (sequence > target) writes.push([checkpointKey(sequence), null], [outboxKey(sequence), null])
  }
  const checkpoint = { ...old, journalFloor, branch }
  await state.commit([...writes, writeCheckpoint(checkpoint)])
  return checkpoint
}

/** Nothing is left to go back by; where the branch is full, no revert can have done that. */
const isGivenUp = (old: Checkpoint, kept: Checkpoint['branch']): boolean =>
  old.branch.length > 0 && kept.length === 0
