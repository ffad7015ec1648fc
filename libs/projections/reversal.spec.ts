import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import { position } from '../chain/position.ts'
import { standards } from '../chain/token.ts'
import type { BlocksMessage } from '../topics/blocks.ts'
import type { BlocksGroup } from './group.ts'
import { ledger } from './ledger.ts'
import { stateGroup } from './state-group.ts'
import {
  alice,
  type BlockFact,
  balance,
  batchMoved,
  blockOf,
  bob,
  burned,
  carol,
  contract,
  created,
  deposited,
  describing,
  type Fact,
  gap,
  moved,
  nftMoved,
  observed,
  together,
  transferred,
  withdrawn,
} from './testing/facts.ts'
import { expectWayBack, River, shown } from './testing/law.ts'
import { logOf } from './testing/log-of.ts'
import { MemoryState } from './testing/memory-state.ts'

const token = fc.integer({ min: 1, max: 4 }).map(contract)
const person = fc.constantFrom(alice, bob, carol, zeroAddress)
const ends = fc.tuple(person, person)
const small = fc.bigInt({ min: 0n, max: 4n })
const amount = fc.oneof(
  { weight: 9, arbitrary: small },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }) },
)
const item = fc.tuple(small, amount)
const block: fc.Arbitrary<BlockFact> = fc.oneof(
  fc.tuple(token, ends, amount).map((args) => transferred(...args)),
  fc.tuple(token, ends, small).map((args) => nftMoved(...args)),
  fc.tuple(token, ends, item).map((args) => moved(...args)),
  fc.tuple(token, ends, fc.array(item, { maxLength: 4 })).map((args) => batchMoved(...args)),
  fc.tuple(token, person).map(([of, from]) => burned(of, from, 1n)),
  token.map(created),
  fc
    .tuple(person, token, small)
    .map(([authority, delegate, nonce]) =>
      blockOf({ logs: [], authorizations: [{ chainId: 0n, nonce, authority, delegate }] }),
    ),
  token.map((of) => ({ ...blockOf({ logs: [] }), contracts: [of] })),
  fc
    .tuple(token, person, amount, fc.boolean())
    .map(([of, who, value, isIn]) =>
      isIn ? deposited(of, who, value) : withdrawn(of, who, value),
    ),
  fc
    .tuple(token, fc.constantFrom(null, ...standards), fc.option(amount))
    .map(([address, standard, totalSupply]) =>
      describing(blockOf(), { address, standard, totalSupply, name: 'N' }),
    ),
)
const seen: fc.Arbitrary<Fact> = fc.oneof(
  fc
    .tuple(token, person, fc.tuple(fc.option(small), small), fc.nat(3))
    .map(([of, holder, what, age]) => observed(balance(of, holder, what), { age })),
  fc
    .tuple(token, person, small, fc.nat(3))
    .map(([of, owner, tokenId, age]) =>
      observed({ owners: [{ token: of, tokenId, owner }] }, { age }),
    ),
  fc
    .tuple(token, amount, fc.nat(3))
    .map(([of, value, age]) => observed({ supplies: [{ token: of, value }] }, { age })),
)
const fact: fc.Arbitrary<Fact> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(block, { minLength: 1, maxLength: 4 }).map((facts) => together(...facts)),
  },
  { weight: 2, arbitrary: seen },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map(gap) },
)
const facts = fc.array(fact, { minLength: 1, maxLength: 8 })
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
        const river = new River(group)
        river.fold(logOf([...trunk, ...orphans], 1))
        river.takeBack(orphans.length)
        river.fold(logOf([...trunk, ...canonical], 1).slice(ahead))
        const straight = new River(group)
        straight.fold(logOf([...trunk, ...canonical], 1))
        expect(shown(river.tables.all())).toEqual(shown(straight.tables.all()))
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
  const changes = group.change(state, message)
  state.write(changes)
  return [...group.rows(message, changes, position(at))].flat()
}
