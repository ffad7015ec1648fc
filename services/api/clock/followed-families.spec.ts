import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { position } from '../../../libs/chain/position.ts'
import { ledger } from '../../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../../libs/projections/state/state-group.ts'
import {
  alice,
  contract,
  created,
  minted as mint,
} from '../../../libs/projections/testing/facts.ts'
import { foldedAtOnce } from '../../../libs/projections/testing/folded-at-once.ts'
import { logOf } from '../../../libs/projections/testing/log-of.ts'
import { MemoryState } from '../../../libs/projections/testing/memory-state.ts'
import { allTables } from '../../../libs/tables/tables/all-tables.ts'
import { type BlocksMessage, blocksMessage } from '../../../libs/topics/blocks.ts'

const file = new URL('../../../libs/topics/examples/blocks.json', import.meta.url)
const messages = z.array(blocksMessage).parse(JSON.parse(readFileSync(file, 'utf8')))

/** Subjects of the rows of each table that a message makes. */
function movedBy(message: BlocksMessage, state: MemoryState): Map<string, Set<string>> {
  const moved = new Map<string, Set<string>>()
  const at = position(message.sequence)
  const changes =
    message.kind === 'block.reverted' ? [] : foldedAtOnce(stateGroup.change(state, message))
  state.write(changes)
  const rows = [...ledger.rows(message, [], at), ...stateGroup.rows(message, changes, at)].flat()
  for (const { table, row } of rows) {
    const subjects = moved.get(table.name) ?? new Set<string>()
    moved.set(table.name, subjects.add(table.subjectOf(row)))
  }
  return moved
}

const mints = [1n, 2n, 3n].map((value) => mint(contract(1), alice, value))
const minted = logOf([created(contract(1)), ...mints])
const all = [messages, minted].flatMap((log) => {
  const state = new MemoryState()
  return log.map((message) => movedBy(message, state))
})

const covered = allTables.flatMap((table) => {
  const { invalidatedWith: cover } = table
  return cover === undefined || cover === 'nothing' ? [] : [{ table, cover }]
})

test.each(covered)('$table.name never changes without $cover.name', ({ table, cover }) => {
  // One flush writes and announces both.
  expect(cover.group).toBe(table.group)
  const [narrow, wide] = [table.name, cover.name]
  const moves = all.filter((moved) => moved.has(narrow))
  expect(moves.length).toBeGreaterThan(1)
  for (const moved of moves) {
    const subjects = [...(moved.get(narrow) ?? [])]
    expect(subjects.filter((subject) => moved.get(wide)?.has(subject) !== true)).toEqual([])
  }
})
