import fc from 'fast-check'
import { expect, test } from 'vitest'
import { position } from '../chain/position.ts'
import type { BlocksMessage } from '../topics/blocks.ts'
import type { BlocksGroup } from './group.ts'
import { ledger } from './ledger/ledger.ts'
import { stateGroup } from './state/state-group.ts'
import { anyFacts } from './testing/any-facts.ts'
import { foldedAtOnce } from './testing/folded-at-once.ts'
import { expectWayBack, InMemoryGroup, shown } from './testing/law.ts'
import { logOf } from './testing/log-of.ts'
import { MemoryState } from './testing/memory-state.ts'

const facts = anyFacts
/** No revert passes a gap: acceptance refuses it. */
const withoutGap = facts.map((given) => given.filter(({ kind }) => kind !== 'gap'))
const from = fc.constantFrom(0, 1, 500)

const groups = [ledger, stateGroup]
const runs = { numRuns: 25 }

test('whatever a reorganisation can reach can be taken back', () => {
  fc.assert(
    fc.property(facts, from, (given, first) => {
      const messages = logOf(given, first)
      for (const group of groups) {
        expectWayBack(messages, group)
      }
    }),
    runs,
  )
})

test('a branch that was taken back leaves no trace', () => {
  fc.assert(
    fc.property(facts, withoutGap, facts, (trunk, orphans, canonical) => {
      const ahead = trunk.length
      for (const group of groups) {
        const runner = new InMemoryGroup(group)
        runner.fold(logOf([...trunk, ...orphans], 1))
        runner.takeBack(orphans.length)
        runner.fold(logOf([...trunk, ...canonical], 1).slice(ahead))
        const straight = new InMemoryGroup(group)
        straight.fold(logOf([...trunk, ...canonical], 1))
        expect(shown(runner.tables.all())).toEqual(shown(straight.tables.all()))
      }
    }),
    runs,
  )
})

test('a message writes at most one row a table and key, each with its own position', () => {
  fc.assert(
    fc.property(facts, from, (given, first) => {
      for (const group of groups) {
        const state = new MemoryState()
        for (const [index, message] of logOf(given, first).entries()) {
          const rows = rowsOf(group, state, { message, at: index + 1 })
          const keys = rows.map(({ table, row }) => `${table.name} ${table.keyOf(row)}`)
          expect(new Set(keys).size).toBe(keys.length)
          for (const { row } of rows) expect(row.position).toBe(index + 1)
        }
      }
    }),
    runs,
  )
})

interface Step {
  readonly message: BlocksMessage
  readonly at: number
}

function rowsOf(group: BlocksGroup, state: MemoryState, { message, at }: Step) {
  if (message.kind === 'block.reverted') return []
  const changes = foldedAtOnce(group.change(state, message))
  state.write(changes)
  return [...group.rows(message, changes, position(at))].flat()
}
