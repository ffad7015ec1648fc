import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Entity, EntityChange, Folding, StateReader } from '../../../libs/projections/group.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { undoBlocksMax } from '../../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import type { BranchBlock } from './checkpoint.ts'
import { RestoredValues } from './restored-values.ts'
import { journalKey, journalPartsPrefix, sequenceOf } from './state-keys.ts'
import {
  decodedUndo,
  storedUndo,
  type UndoRecord,
  undoKeys,
  writeUndo,
  writeUndoParts,
} from './undo-records.ts'

/** More messages than have undo records: blocks, and what was observed after each. */
const greatMessagesMax = 100_000

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
  /** Of great messages: in how many parts their records are stored, or staged. */
  private readonly parts: Map<number, number>
  private readonly freshParts = new Map<number, number>()
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
    this.parts = new Map(
      [...store.scan(journalPartsPrefix, greatMessagesMax)].map(({ key, value }) => [
        sequenceOf(key),
        value.readUInt32BE(),
      ]),
    )
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

  /** Whether a message of the branch's newest block was folded in slices. */
  get isNewestSliced(): boolean {
    const { sequences = [] } = this.blocks.at(-1) ?? {}
    return sequences.some((sequence) => this.parts.has(sequence) || this.freshParts.has(sequence))
  }

  /** Folds a revert of the branch's newest block. @throws ReorganisationTooDeep */
  *reverting(number: number, state: StateReader): Folding {
    const block = this.blocks.at(-1)
    if (block === undefined || block.number !== number) throw this.tooDeep(number)
    const restored = new RestoredValues(this.entities, state)
    for (const sequence of block.sequences.toReversed()) {
      for (const record of this.recordsOf(sequence, number)) {
        restored.restore(record)
        yield restored
      }
    }
    return restored.changes()
  }

  /** Remembers a folded message. Only then is `reverting` right about the next one. */
  record(message: BlocksMessage, changes: readonly EntityChange[]): void {
    this.fresh.set(message.sequence, changes)
    this.append(message)
  }

  /** The same, where the changes were staged in parts. */
  recordParts(message: BlocksMessage, parts: number): void {
    this.freshParts.set(message.sequence, parts)
    this.append(message)
  }

  private append(message: BlocksMessage): void {
    const { sequence } = message
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
      const parts = this.parts.get(dropped) ?? 1
      for (const key of undoKeys(dropped, parts)) writes.push([key, null])
      this.parts.delete(dropped)
    }
    for (const [from, parts] of this.freshParts) {
      writes.push(writeUndoParts(from, parts))
      this.parts.set(from, parts)
    }
    this.freshParts.clear()
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

  private *recordsOf(sequence: number, number: number): Generator<UndoRecord> {
    const fresh = this.fresh.get(sequence) ?? this.pending.get(sequence)
    if (fresh !== undefined) return yield* fresh
    if (this.store.get(journalKey(sequence)) === undefined) throw this.tooDeep(number)
    for (const record of storedUndo(this.store, sequence)) yield decodedUndo(record, this.entities)
  }

  private tooDeep(number: number): ReorganisationTooDeep {
    return new ReorganisationTooDeep(
      `block ${number} is reverted, but undo records are kept for ${undoBlocksMax} blocks only; ` +
        `see ${runbooks.reorganisationTooDeep}`,
    )
  }
}
