import type { Position } from '../chain/position.ts'
import type { TableRow } from '../tables/table.ts'
import type { BlocksMessage } from '../topics/blocks.ts'
import type { Entity, EntityChange, StateReader } from './state.ts'

/**
 * A group of folds over `blocks` that commits as one. All of it is pure.
 *
 * A message becomes changes, changes become rows. `block.reverted` never reaches `change`: the
 * projector restores what its undo records say and hands those changes to `rows` the same way,
 * so going back writes by the same code as going forth.
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
  /** At most one change an entity and id; changes that change nothing are left out. */
  change(
    state: StateReader,
    message: Exclude<BlocksMessage, { kind: 'block.reverted' }>,
  ): EntityChange[]
  /**
   * At most one row a table and key. Same position, same rows, whatever the batching. In runs
   * that are made as they are taken: all rows of a great block side by side would fill the memory.
   */
  rows(
    message: BlocksMessage,
    changes: readonly EntityChange[],
    position: Position,
  ): Iterable<readonly TableRow[]>
}
