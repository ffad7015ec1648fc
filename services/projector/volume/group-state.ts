import type { Hash } from '../../../libs/chain/hex.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type {
  BlocksGroup,
  Entity,
  EntityChange,
  StateReader,
} from '../../../libs/projections/group.ts'
import type { Accepted } from '../../../libs/topics/acceptance.ts'
import { PartAssembler } from '../../../libs/topics/parts.ts'
import {
  type Checkpoint,
  checkpointSequences,
  checkpointsMax,
  writeCheckpoint,
} from './checkpoint.ts'
import { checkpointKey, entityKey } from './state-keys.ts'
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

interface Slot {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly value: unknown
}

/**
 * The group's state: what the volume holds, under what the messages since the last flush made
 * of it. Values are never changed in place, so a decoded one can be kept and given again.
 */
class Entities implements StateReader {
  private readonly store: StateStore
  private readonly entitiesCachedMax: number
  private changed = new Map<string, Slot>()
  /** Handed to a commit that is under way: the volume may not hold it yet. */
  private pending: ReadonlyMap<string, Slot> = new Map()
  // Two generations do for a cache at a third of the cost of keeping an order of use.
  private recent = new Map<string, Slot>()
  private older = new Map<string, Slot>()

  constructor(store: StateStore, entitiesCachedMax: number) {
    this.store = store
    this.entitiesCachedMax = entitiesCachedMax
  }

  get<V>(entity: Entity<V>, id: string): V | undefined {
    const name = slotName(entity.tag, id)
    const slot =
      this.changed.get(name) ?? this.pending.get(name) ?? this.recent.get(name) ?? this.reused(name)
    // A slot's value has the type of its entity: the tag, which names it, is unique.
    if (slot !== undefined) return slot.value as V | undefined
    const bytes = this.store.get(entityKey(entity.tag, id))
    if (bytes === undefined) return undefined
    const value = entity.decode(bytes)
    this.keep(name, { entity: entity as Entity<unknown>, id, value })
    return value
  }

  private reused(name: string): Slot | undefined {
    const slot = this.older.get(name)
    if (slot !== undefined) this.keep(name, slot)
    return slot
  }

  private keep(name: string, slot: Slot): void {
    if (this.recent.size >= this.entitiesCachedMax / 2) {
      this.older = this.recent
      this.recent = new Map()
    }
    this.recent.set(name, slot)
  }

  apply(changes: readonly EntityChange[]): void {
    for (const { entity, id, after } of changes) {
      this.changed.set(slotName(entity.tag, id), { entity, id, value: after })
    }
  }

  /** Values of the volume were changed without `apply`: to be called once it holds them. */
  forget(): void {
    this.recent.clear()
    this.older.clear()
  }

  /** What the volume must hold to know all that was applied. Folding may go on meanwhile. */
  beginCommit(): (readonly [key: Buffer, value: Buffer | null])[] {
    this.pending = this.changed
    this.changed = new Map()
    return [...this.pending.values()].map(({ entity, id, value: after }) =>
      entityWrite({ entity, id, after }),
    )
  }

  /** The volume holds what was pending. */
  endCommit(): void {
    for (const [name, slot] of this.pending) this.keep(name, slot)
    this.pending = new Map()
  }
}

/** What the volume must hold for a value that changed. */
export const entityWrite = ({
  entity,
  id,
  after,
}: Pick<EntityChange, 'entity' | 'id' | 'after'>): readonly [key: Buffer, value: Buffer | null] => [
  entityKey(entity.tag, id),
  after === undefined ? null : entity.encode(after),
]

const slotName = (tag: number, id: string): string => String.fromCharCode(tag) + id
