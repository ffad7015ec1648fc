import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Entity, EntityChange, StateReader } from '../../libs/projections/group.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { undoBlocksMax } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import type { BranchBlock } from './checkpoint.ts'
import { journalKey } from './state-keys.ts'

/** A revert that the undo records do not reach. Nothing was folded or lost. */
export class ReorganisationTooDeep extends Error {
  override readonly name = 'ReorganisationTooDeep'
}

/**
 * How to go back: the values before each message, and which messages belong to which block of
 * the branch. An observation belongs to the block that was the head when it was folded.
 */
export class Undo {
  private readonly store: StateStore
  private readonly entities: ReadonlyMap<number, Entity<unknown>>
  private fresh = new Map<number, readonly UndoRecord[]>()
  /** Handed to a commit that is under way. */
  private pending: ReadonlyMap<number, readonly UndoRecord[]> = new Map()
  private readonly blocks: BranchBlock[]
  private lowest: number
  private storedFrom: number
  private storedTo: number

  constructor(
    store: StateStore,
    entities: ReadonlyMap<number, Entity<unknown>>,
    kept: { branch: readonly BranchBlock[]; journalFloor: number; sequence: number },
  ) {
    this.store = store
    this.entities = entities
    this.blocks = [...kept.branch]
    this.lowest = kept.journalFloor
    this.storedFrom = kept.journalFloor
    this.storedTo = kept.sequence
  }

  get branch(): readonly BranchBlock[] {
    return this.blocks
  }

  /** The lowest sequence whose values before it are kept. */
  get journalFloor(): number {
    return this.lowest
  }

  /** What folding a revert of the branch's newest block changes. @throws ReorganisationTooDeep */
  reverting(number: number, state: StateReader): EntityChange[] {
    const block = this.blocks.at(-1)
    if (block === undefined || block.number !== number) throw this.tooDeep(number)
    const oldest = new Map<string, UndoRecord>()
    for (const sequence of block.sequences.toReversed()) {
      for (const record of this.recordsOf(sequence, number)) {
        oldest.set(`${record.entity.tag} ${record.id}`, record)
      }
    }
    const changes: EntityChange[] = []
    for (const { entity, id, before: after } of oldest.values()) {
      const before = state.get(entity, id)
      if (!isSame(entity, before, after)) changes.push({ entity, id, before, after })
    }
    return changes
  }

  /** Remembers a folded message. Only then is `reverting` right about the next one. */
  record(message: BlocksMessage, changes: readonly EntityChange[]): void {
    const { sequence } = message
    this.fresh.set(sequence, changes)
    switch (message.kind) {
      case 'block.applied':
        this.blocks.push({ number: message.block.number, sequences: [sequence] })
        if (this.blocks.length > undoBlocksMax) this.blocks.shift()
        break
      case 'block.reverted':
        this.blocks.pop()
        break
      case 'state.observed': {
        const block = this.blocks.pop()
        if (block === undefined) break
        this.blocks.push({ ...block, sequences: [...block.sequences, sequence] })
        break
      }
      case 'gap.declared':
        // No revert passes a gap: acceptance refuses it.
        this.blocks.length = 0
        break
    }
    this.lowest = Math.max(this.lowest, this.blocks[0]?.sequences[0] ?? sequence)
  }

  /** What the volume must hold, and what it need not hold any more. Folding may go on. */
  beginCommit(sequence: number): (readonly [key: Buffer, value: Buffer | null])[] {
    const writes: (readonly [key: Buffer, value: Buffer | null])[] = []
    const droppedTo = Math.min(this.lowest - 1, this.storedTo)
    for (let dropped = this.storedFrom; dropped <= droppedTo; dropped++) {
      writes.push([journalKey(dropped), null])
    }
    for (const [from, records] of this.fresh) {
      if (from >= this.lowest) writes.push([journalKey(from), writeUndo(records)])
    }
    this.storedFrom = this.lowest
    this.storedTo = sequence
    this.pending = this.fresh
    this.fresh = new Map()
    return writes
  }

  /** The volume holds what was pending. */
  endCommit(): void {
    this.pending = new Map()
  }

  private recordsOf(sequence: number, number: number): readonly UndoRecord[] {
    const fresh = this.fresh.get(sequence) ?? this.pending.get(sequence)
    if (fresh !== undefined) return fresh
    const bytes = this.store.get(journalKey(sequence))
    if (bytes === undefined) throw this.tooDeep(number)
    return readUndo(bytes, this.entities)
  }

  private tooDeep(number: number): ReorganisationTooDeep {
    return new ReorganisationTooDeep(
      `block ${number} is reverted, but undo records are kept for ${undoBlocksMax} blocks only; ` +
        `see ${runbooks.reorganisationTooDeep}`,
    )
  }
}

function isSame(entity: Entity<unknown>, left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right
  return entity.encode(left).equals(entity.encode(right))
}

/** A value before a message; undefined where there was none. */
interface UndoRecord {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly before: unknown
}

/** The same, as the volume holds it. */
interface RawUndoRecord {
  readonly tag: number
  readonly id: string
  readonly before: Buffer | null
}

/** Written as the length of a value that was not there. */
const absent = 0xffff_ffff

/** Each record: tag (1 byte), length of the id (1), id, length of the value (4), value. */
function writeUndo(records: readonly UndoRecord[]): Buffer {
  const parts: Buffer[] = []
  for (const { entity, id, before } of records) {
    const value = before === undefined ? null : entity.encode(before)
    const idBytes = Buffer.from(id, 'hex')
    const head = Buffer.allocUnsafe(6 + idBytes.length)
    head.writeUInt8(entity.tag, 0)
    head.writeUInt8(idBytes.length, 1)
    idBytes.copy(head, 2)
    head.writeUInt32BE(value === null ? absent : value.length, 2 + idBytes.length)
    parts.push(head)
    if (value !== null) parts.push(value)
  }
  return Buffer.concat(parts)
}

/** @throws RangeError if the bytes end too early. */
export function* rawUndo(bytes: Buffer): Iterable<RawUndoRecord> {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at)
    const idAt = at + 2
    const lengthAt = idAt + bytes.readUInt8(at + 1)
    const length = bytes.readUInt32BE(lengthAt)
    const id = bytes.toString('hex', idAt, lengthAt)
    const valueAt = lengthAt + 4
    at = valueAt + (length === absent ? 0 : length)
    if (at > bytes.length) throw new RangeError('an undo record ends too early')
    yield { tag, id, before: length === absent ? null : bytes.subarray(valueAt, at) }
  }
}

/** @throws if a record is of an entity that the group does not have. */
function readUndo(bytes: Buffer, entities: ReadonlyMap<number, Entity<unknown>>): UndoRecord[] {
  return [...rawUndo(bytes)].map(({ tag, id, before }) => {
    const entity = entities.get(tag)
    if (entity === undefined) throw new Error(`an undo record of unknown entity ${tag}`)
    return { entity, id, before: before === null ? undefined : entity.decode(before) }
  })
}
