import { expect, test } from 'vitest'
import { next, type Position, position } from '../../chain/position.ts'
import type { BlocksMessage } from '../../topics/blocks.ts'
import type { BlocksGroup, EntityChange } from '../group.ts'
import { ledger } from '../ledger/ledger.ts'
import { stateGroup } from '../state/state-group.ts'
import type { Fact } from './facts.ts'
import { foldedAtOnce } from './folded-at-once.ts'
import { logOf, withoutEarlierCode } from './log-of.ts'
import { MemoryState, takenBack } from './memory-state.ts'
import { MemoryTables } from './memory-tables.ts'

interface Folded {
  readonly message: BlocksMessage
  readonly changes: readonly EntityChange[]
}

/** Folds a log into tables in memory, and reverts its end if asked. */
export class InMemoryGroup {
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
      if (message.kind === 'block.reverted') throw new Error('use takeBack() to revert')
      this.at = next(this.at)
      // A log gives no number twice, also where it folds again what was taken back.
      const changes = foldedAtOnce(this.group.change(this.state, { ...message, sequence: this.at }))
      this.write(message, changes)
      this.folded.push({ message, changes })
    }
  }

  /** Takes the newest messages back, newest first, each as the projector does: a new position. */
  takeBack(count: number): void {
    for (const { message, changes } of this.folded.splice(this.folded.length - count).reverse()) {
      this.at = next(this.at)
      this.write(orphaned(message), takenBack(this.state, changes))
    }
  }

  private write(message: BlocksMessage, changes: readonly EntityChange[]): void {
    this.state.write(changes)
    this.tables.write(this.group.rows(message, changes, this.at))
    if (this.group.entities.length > 0) this.tables.knownFrom = this.group.knownFrom(this.state)
  }
}

const orphaned = (message: BlocksMessage): BlocksMessage =>
  message.kind === 'block.applied' ? { ...message, kind: 'block.reverted' } : message

const groups = [ledger, stateGroup]

/** Tables that these messages make; folded twice, the second time as a redelivery. */
function tablesOf(messages: readonly BlocksMessage[]): MemoryTables {
  const tables = new MemoryTables()
  for (const group of [...groups, ...groups]) new InMemoryGroup(group, tables).fold(messages)
  return tables
}

/** Messages from the end on that a reorganisation can reach: not a gap, nor before any block. */
function revertible(messages: readonly BlocksMessage[]): number {
  const lastGap = messages.findLastIndex(({ kind }) => kind === 'gap.declared')
  const firstBlock = messages.findIndex(({ kind }) => kind === 'block.applied')
  return firstBlock < 0 ? 0 : messages.length - Math.max(firstBlock, lastGap + 1)
}

/**
 * Taken back, the tables show what they show without it (of nothing, nothing, and the state is
 * empty); then forth again.
 */
export function expectWayBack(messages: readonly BlocksMessage[], group: BlocksGroup): void {
  const count = revertible(messages)
  const kept = messages.slice(0, messages.length - count)
  const [runner, straight] = [new InMemoryGroup(group), new InMemoryGroup(group)]
  runner.fold(messages)
  const before = runner.tables.all()
  runner.takeBack(count)
  straight.fold(kept)
  if (kept.length === 0) expect(runner.state.size).toBe(0)
  // What was observed before any block counts again only when the first block has come again.
  if (kept.length === 0 || kept.some(({ kind }) => kind === 'block.applied')) {
    expect(shown(runner.tables.all())).toEqual(shown(straight.tables.all()))
  }
  runner.fold(messages.slice(kept.length))
  expect(shown(runner.tables.all())).toEqual(shown(before))
}

/** What tables show, without versions. */
export const shown = (tables: ReturnType<MemoryTables['all']>) =>
  Object.entries(tables)
    .map(([name, rows]) => [name, rows.map(({ position: _position, ...row }) => row)] as const)
    .filter(([, rows]) => rows.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))

/** Given these facts, a table shows these rows (in the order of its key), and no others. */
export class Given {
  private readonly messages: readonly BlocksMessage[]
  private readonly tables: MemoryTables

  constructor(facts: readonly Fact[], from: number) {
    this.messages = logOf(from === 1 ? withoutEarlierCode(facts) : facts, from)
    this.tables = tablesOf(this.messages)
    for (const group of groups) expectWayBack(this.messages, group)
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
