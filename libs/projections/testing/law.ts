import { expect, test } from 'vitest'
import { next, type Position, position } from '../../chain/position.ts'
import type { BlocksMessage } from '../../topics/blocks.ts'
import type { BlocksGroup } from '../group.ts'
import { ledger } from '../ledger.ts'
import type { EntityChange } from '../state.ts'
import { stateGroup } from '../state-group.ts'
import type { Fact } from './facts.ts'
import { logOf } from './log-of.ts'
import { MemoryState, takenBack } from './memory-state.ts'
import { MemoryTables } from './memory-tables.ts'

interface Folded {
  readonly message: BlocksMessage
  readonly changes: readonly EntityChange[]
}

/** Folds a log into tables, and back again if asked. */
export class River {
  readonly state = new MemoryState()
  readonly tables: MemoryTables
  private readonly folded: Folded[] = []
  private at: Position = position(0)
  private readonly group: BlocksGroup

  constructor(group: BlocksGroup, tables = new MemoryTables()) {
    this.group = group
    this.tables = tables
  }

  fold(messages: readonly BlocksMessage[]): void {
    for (const message of messages) {
      if (message.kind === 'block.reverted') throw new Error('takeBack() is the way back')
      this.at = next(this.at)
      const changes = this.group.change(this.state, message)
      this.state.write(changes)
      this.tables.write(this.group.rows(message, changes, this.at))
      this.folded.push({ message, changes })
    }
  }

  /** Takes the newest messages back, newest first, each as the projector does: a new position. */
  takeBack(count: number): void {
    for (const { message, changes } of this.folded.splice(-count).reverse()) {
      this.at = next(this.at)
      const back = takenBack(changes)
      this.state.write(back)
      this.tables.write(this.group.rows(orphaned(message), back, this.at))
    }
  }
}

const orphaned = (message: BlocksMessage): BlocksMessage =>
  message.kind === 'block.applied' ? { ...message, kind: 'block.reverted' } : message

const groups = [ledger, stateGroup]

/** Tables that these messages make; folded twice, the second time as a redelivery. */
export function tablesOf(messages: readonly BlocksMessage[]): MemoryTables {
  const tables = new MemoryTables()
  for (const group of [...groups, ...groups]) new River(group, tables).fold(messages)
  return tables
}

/** Everything taken back, the state is empty and no table shows anything; then forth again. */
function expectWayBack(messages: readonly BlocksMessage[]): void {
  for (const group of groups) {
    const river = new River(group)
    river.fold(messages)
    const before = river.tables.all()
    river.takeBack(messages.length)
    expect(river.state.size).toBe(0)
    for (const name of river.tables.names) expect(river.tables.rowsOf(name)).toEqual([])
    river.fold(messages)
    expect(withoutPositions(river.tables.all())).toEqual(withoutPositions(before))
  }
}

const withoutPositions = (tables: ReturnType<MemoryTables['all']>) =>
  Object.entries(tables).map(([name, rows]) => [
    name,
    rows.map(({ position: _position, ...row }) => row),
  ])

/** Given these facts, a table shows these rows (in the order of its key), and no others. */
export class Given {
  private readonly messages: readonly BlocksMessage[]
  private readonly tables: MemoryTables

  constructor(facts: readonly Fact[], from: number) {
    this.messages = logOf(facts, from)
    this.tables = tablesOf(this.messages)
    expectWayBack(this.messages)
  }

  shows(table: { readonly name: string }, rows: readonly object[]): this {
    const found = this.tables.rowsOf(table.name)
    expect(found, table.name).toHaveLength(rows.length)
    expect(found, table.name).toMatchObject(rows)
    return this
  }
}

/** A chain whose every block the log holds. */
export const given = (...facts: Fact[]): Given => new Given(facts, 1)
/** A log that begins in the middle of a chain. */
export const givenFromTheMiddle = (...facts: Fact[]): Given => new Given(facts, 1_000)

/** A test whose name is a law. */
export const law = (name: string, body: () => unknown): void => {
  test(name, () => {
    body()
  })
}
