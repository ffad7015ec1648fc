import type { Hash } from '../../libs/chain/hex.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import type { Entity } from '../../libs/projections/state.ts'
import type { Accepted } from '../../libs/topics/acceptance.ts'
import { PartAssembler } from '../../libs/topics/parts.ts'
import {
  type Checkpoint,
  checkpointSequences,
  checkpointsMax,
  writeCheckpoint,
} from './checkpoint.ts'
import { Entities } from './entities.ts'
import { checkpointKey } from './state-keys.ts'
import { Undo } from './undo.ts'

/** State of a group in memory: ahead of its last checkpoint by what is not flushed. */
export interface GroupState {
  accepted: Accepted
  /** Of the log up to the last accepted message. */
  prefix: Hash
  /** Offset of the next message to read. */
  offset: number
  /** … and of the one after the last accepted: a start finds its place by what counted. */
  resumeOffset: number
  /** Of the last accepted message, if it came in parts. */
  resumeHash: Hash | null
  /** Incomplete messages: none of their parts precede `resumeOffset`. */
  readonly parts: PartAssembler
  silentUntil: number
  /** Sequence of the last flush, done or under way. */
  commitUpTo: number
  readonly entities: Entities
  /** Of the group, as of the last message folded. */
  readonly knownFrom: () => number
  /** Null for a group without state: it has nothing to restore. */
  readonly undo: Undo | null
  /** Sequences of stored checkpoints, ascending. */
  checkpoints: readonly number[]
}

export function groupStateAt(
  group: BlocksGroup,
  state: StateStore,
  from: { checkpoint: Checkpoint; entitiesCachedMax: number },
): GroupState {
  const { accepted, prefix, offset, lastHash, silentUntil, branch, journalFloor } = from.checkpoint
  const kept = { branch, journalFloor, sequence: accepted.sequence }
  const entities = new Entities(state, from.entitiesCachedMax)
  return {
    accepted,
    prefix,
    offset,
    resumeOffset: offset,
    resumeHash: lastHash,
    parts: new PartAssembler(),
    silentUntil,
    commitUpTo: accepted.sequence,
    entities,
    knownFrom: () => group.knownFrom(entities),
    undo: group.entities.length === 0 ? null : new Undo(state, entitiesByTag(group), kept),
    checkpoints: checkpointSequences(state),
  }
}

/** @throws if two entities share a tag. */
function entitiesByTag(group: BlocksGroup): ReadonlyMap<number, Entity<unknown>> {
  const byTag = new Map<number, Entity<unknown>>()
  for (const entity of group.entities) {
    if (byTag.has(entity.tag)) throw new Error(`two entities have tag ${entity.tag}`)
    // Undo returns a value only to its own entity, which the stored tag identifies.
    byTag.set(entity.tag, entity as Entity<unknown>)
  }
  return byTag
}

/** What a commit writes: later folding does not change it. */
export interface PendingCommit {
  /** Sequence of the flush before. */
  readonly after: number
  readonly accepted: Accepted
  readonly prefix: Hash
  readonly silentUntil: number
  readonly knownFrom: number
  /** All that the volume must hold for it to be the resume point. */
  readonly writes: readonly (readonly [key: Buffer, value: Buffer | null])[]
}

/** Only one commit may be under way: `endCommit` it before the next begins. */
export function beginCommit(at: GroupState): PendingCommit {
  const { accepted, prefix, silentUntil, undo, commitUpTo: after } = at
  const knownFrom = at.knownFrom()
  const { resumeOffset: offset, resumeHash: lastHash } = at
  at.commitUpTo = accepted.sequence
  const branch = [...(undo?.branch ?? [])]
  const journalFloor = undo?.journalFloor ?? accepted.sequence + 1
  const dropped = droppedCheckpoints(at)
  const kept = at.checkpoints.filter((sequence) => !dropped.includes(sequence))
  at.checkpoints = [...new Set([...kept, accepted.sequence])]
  const writes = [
    ...at.entities.beginCommit(),
    ...(undo?.beginCommit(accepted.sequence) ?? []),
    writeCheckpoint({ accepted, prefix, offset, lastHash, branch, journalFloor, silentUntil }),
    ...dropped.map((sequence) => [checkpointKey(sequence), null] as const),
  ]
  return { after, accepted, prefix, silentUntil, knownFrom, writes }
}

/** The volume holds what was pending. */
export function endCommit(at: GroupState): void {
  at.entities.endCommit()
  at.undo?.endCommit()
}

/** A checkpoint that undo records do not lead back to is of no use. */
function droppedCheckpoints({ checkpoints, accepted, undo }: GroupState): readonly number[] {
  const others = checkpoints.filter((sequence) => sequence !== accepted.sequence)
  const kept = others.slice(1 - checkpointsMax)
  const floor = undo?.journalFloor ?? 0
  return others.filter((sequence) => sequence + 1 < floor || !kept.includes(sequence))
}
