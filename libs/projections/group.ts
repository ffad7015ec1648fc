import type { Position } from '../chain/position.ts'
import type { TableRow } from '../tables/declare/table.ts'
import type { BlocksMessage } from '../topics/blocks.ts'

/**
 * A kind of thing that the state group remembers, with its stored form. Values are flat and
 * never changed in place. Methods, so that an entity of any value is an `Entity<unknown>`.
 */
export interface Entity<V> {
  readonly name: string
  /** First byte of its keys; unique among entities. */
  readonly tag: number
  /** There is only one of it. */
  readonly isOnly?: boolean
  encode(value: V): Buffer
  decode(bytes: Buffer): V
}

/**
 * The state before a message. Ids are lower-case hex without 0x. Values are found by their ids
 * alone: whatever walked over many of them would make the work of a message grow with the state.
 */
export interface StateReader {
  get<V>(entity: Entity<V>, id: string): V | undefined
}

/** One thing before and after a message; undefined where it did not, or does not, exist. */
export interface EntityChange<V = unknown> {
  readonly entity: Entity<V>
  readonly id: string
  readonly before: V | undefined
  readonly after: V | undefined
}

/** Where edited values of one message lie that do not fit into memory. Of ids as the state's. */
export interface Scratch {
  get(tag: number, id: string): Buffer | undefined
  put(values: readonly ScratchValue[]): Promise<void>
  /** Values of a tag with ids above `id`, ascending; from the first on for null. */
  after(tag: number, id: string | null, countMax: number): readonly ScratchValue[]
}

export interface ScratchValue {
  readonly tag: number
  readonly id: string
  readonly value: Buffer
}

/** What a message has edited so far. */
export interface Spillable {
  /** Values in memory that may be spilled. */
  readonly held: number
  /** Moves them out of memory. To be called only while the fold has yielded. */
  spill(scratch: Scratch): Promise<void>
}

/**
 * Changes as they are taken, once. Null for a value that is as before: reading it back is work,
 * after which whoever takes them may pause.
 */
export type Changes = Iterable<EntityChange | null>

/**
 * A fold that can be interrupted: it yields after each bounded piece of work. Results depend
 * neither on what is done meanwhile, nor on whether values are spilled.
 */
export type Folding = Generator<Spillable, Changes>

/**
 * A group of folds over `blocks` that commits as one. All of it is pure.
 *
 * A message becomes changes, changes become rows. `block.reverted` never reaches `change`: the
 * projector restores the values of its undo records and passes those changes to `rows`, so a revert
 * writes by the same code as an apply.
 */
export interface BlocksGroup {
  readonly name: 'ledger' | 'state'
  /** All that its state is made of; empty for a stateless group. */
  readonly entities: readonly Entity<unknown>[]
  /**
   * The position from which on its rows count: those written before it are forgotten, as the log
   * has a hole there. 0 without one.
   */
  knownFrom(state: StateReader): number
  /** Transfers of earlier messages that a message folds again, at most. */
  repeatedCount(state: StateReader, message: BlocksMessage): number
  /** At most one change an entity and id; changes that change nothing are left out. */
  change(state: StateReader, message: Exclude<BlocksMessage, { kind: 'block.reverted' }>): Folding
  /**
   * Of a great message the changes come in several slices; whatever follows from the message alone
   * comes with the first. At most one row a table and key. Same position, same rows, whatever the
   * batching. In runs that are made as they are taken: all rows of a great block side by side would
   * fill the memory.
   */
  rows(
    message: BlocksMessage,
    changes: readonly EntityChange[],
    position: Position,
  ): Iterable<readonly TableRow[]>
}
